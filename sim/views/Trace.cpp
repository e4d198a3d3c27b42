#include "sim/views/Trace.h"

#include "runtime/base/Json.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

namespace tlx::sim {

void Trace::onTrack(TrackId track, const TrackInfo &info) {
  if (tracks.size() <= track)
    tracks.resize(track + 1, TrackInfo{TrackKind::Task, 0, -1, {}});
  tracks[track] = info;
}

namespace {

/// Intervals of a unit may overlap (copies in flight); slices of one thread of
/// the trace may not. Each goes to the first lane that is free.
struct Lanes {
  std::vector<Cycles> busyUntil;
  size_t place(const Interval &interval) {
    size_t lane = 0;
    while (lane < busyUntil.size() && busyUntil[lane] > interval.begin)
      ++lane;
    if (lane == busyUntil.size())
      busyUntil.push_back(0);
    busyUntil[lane] = interval.end;
    return lane;
  }
};

constexpr uint64_t LanesPerTrack = 1000;

class Printer {
public:
  void begin(const char *phase) {
    out += first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first = false;
    out += phase;
    out += "\"";
  }
  void number(const char *key, int64_t value) {
    out += std::string(",\"") + key + "\":" + std::to_string(value);
  }
  void text(const char *key, const std::string &value) {
    out += std::string(",\"") + key + "\":" + json::quoted(value);
  }
  /// Cycles as nanoseconds; the format counts microseconds.
  void time(const char *key, Cycles cycles) {
    char buffer[48];
    std::snprintf(buffer, sizeof buffer, ",\"%s\":%lld.%03lld", key, (long long)(cycles / 1000),
                  (long long)(cycles % 1000));
    out += buffer;
  }
  void raw(const std::string &text) { out += text; }
  void end() { out += "}"; }
  std::string out;

private:
  bool first = true;
};

} // namespace

std::string Trace::json() const {
  Printer print;
  print.out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";

  auto thread = [&](TrackId track, size_t lane) {
    return int64_t(uint64_t(track) * LanesPerTrack + lane + 1);
  };
  auto process = [&](TrackId track) { return int64_t(tracks[track].sm) + 1; };

  std::map<int, bool> sms;
  for (const TrackInfo &track : tracks)
    sms[track.sm] = true;
  for (auto &[sm, used] : sms) {
    print.begin("M");
    print.text("name", "process_name");
    print.number("pid", sm + 1);
    print.raw(",\"args\":{\"name\":\"SM " + std::to_string(sm) + "\"}");
    print.end();
  }

  std::vector<Lanes> lanes(tracks.size());
  std::vector<Interval> sorted = intervals;
  std::sort(sorted.begin(), sorted.end(), [](const Interval &a, const Interval &b) {
    return a.track != b.track   ? a.track < b.track
           : a.begin != b.begin ? a.begin < b.begin
                                : a.end < b.end;
  });
  for (const Interval &interval : sorted) {
    const TrackInfo &track = tracks[interval.track];
    size_t lane = track.kind == TrackKind::Task ? 0 : lanes[interval.track].place(interval);
    print.begin("X");
    std::string op = interval.opcode < numOps ? name(Op(interval.opcode)) : "?";
    print.text("name", interval.reason == Reason::None
                           ? track.kind == TrackKind::Task ? "progress" : op
                           : std::string("wait: ") + name(interval.reason));
    print.number("pid", process(interval.track));
    print.number("tid", thread(interval.track, lane));
    print.time("ts", interval.begin);
    print.time("dur", interval.end - interval.begin);
    print.raw(",\"args\":{\"op\":" + json::quoted(op) + ",\"at\":" +
              json::quoted(program.locationText(
                  interval.location == NoLocation ? -1 : LocId(interval.location))));
    if (interval.detail >= 0)
      print.raw(std::string(track.kind == TrackKind::Task ? ",\"barrier\":" : ",\"amount\":") +
                std::to_string(interval.detail));
    print.raw("}");
    print.end();
  }
  for (TrackId id = 0; id < tracks.size(); ++id) {
    const TrackInfo &track = tracks[id];
    if (track.kind == TrackKind::Mbarrier)
      continue; // a counter
    size_t count =
        track.kind == TrackKind::Task ? 1 : std::max<size_t>(1, lanes[id].busyUntil.size());
    for (size_t lane = 0; lane < count; ++lane) {
      std::string title = track.name;
      if (track.cta >= 0)
        title = "CTA " + std::to_string(track.cta) + " " + title;
      if (lane > 0)
        title += " (" + std::to_string(lane + 1) + ")";
      print.begin("M");
      print.text("name", "thread_name");
      print.number("pid", process(id));
      print.number("tid", thread(id, lane));
      print.raw(",\"args\":{\"name\":" + json::quoted(title) + "}");
      print.end();
      print.begin("M");
      print.text("name", "thread_sort_index");
      print.number("pid", process(id));
      print.number("tid", thread(id, lane));
      print.raw(",\"args\":{\"sort_index\":" + std::to_string(thread(id, lane)) + "}");
      print.end();
    }
  }
  for (const PhaseChange &change : phases) {
    const TrackInfo &track = tracks[change.track];
    print.begin("C");
    print.text("name", "CTA " + std::to_string(track.cta) + " " + track.name);
    print.number("pid", process(change.track));
    print.time("ts", change.time);
    print.raw(",\"args\":{\"phase\":" + std::to_string(change.phase) + "}");
    print.end();
  }
  int64_t id = 0;
  for (const Flow &flow : flows) {
    ++id;
    for (bool start : {true, false}) {
      TrackId track = start ? flow.from : flow.to;
      print.begin(start ? "s" : "f");
      print.text("name", "releases");
      print.text("cat", "barrier");
      print.number("id", id);
      print.number("pid", process(track));
      print.number("tid", thread(track, 0));
      // Inside the slice: its last cycle, so that the arrow finds it.
      print.time("ts", std::max<Cycles>(0, (start ? flow.fromTime : flow.toTime) - 1));
      if (!start)
        print.raw(",\"bp\":\"e\"");
      print.end();
    }
  }
  print.out += "\n]";
  if (dropped)
    print.out += ",\"otherData\":{\"dropped events\":\"" + std::to_string(dropped) + "\"}";
  print.out += "}\n";
  return print.out;
}

Result<void> Trace::write(const std::string &path) const {
  std::ofstream out(path, std::ios::binary);
  if (!out || !(out << json()) || !out.flush())
    return Error("cannot write the trace", {path});
  return {};
}

} // namespace tlx::sim
