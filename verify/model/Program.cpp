#include "verify/model/Program.h"

using namespace tlx::verify;

std::string SourceLoc::str() const {
  if (!known())
    return file.empty() ? "unknown location" : file;
  std::string text = file + ":" + std::to_string(line);
  return column > 0 ? text + ":" + std::to_string(column) : text;
}

std::vector<Rect> tlx::verify::placesOf(const Buffer &buffer, const Target &target, int64_t slot) {
  int64_t start = buffer.start(slot);
  std::vector<Rect> places = target.parts;
  if (places.empty())
    places.push_back({0, buffer.width(), 0, buffer.lanes});
  for (Rect &place : places) {
    place.x0 += start, place.x1 += start;
    place.y0 += buffer.lane, place.y1 += buffer.lane;
  }
  return places;
}

Stmt tlx::verify::eventStmt(int event) {
  Stmt stmt{Stmt::EventStmt};
  stmt.event = event;
  return stmt;
}

Stmt tlx::verify::assignStmt(std::vector<Assign> assigns) {
  Stmt stmt{Stmt::AssignStmt};
  stmt.inits = std::move(assigns);
  return stmt;
}

Stmt tlx::verify::ifStmt(ExprId cond, Block then, Block orElse, SourceLoc loc) {
  Stmt stmt{Stmt::IfStmt};
  stmt.cond = cond;
  stmt.body = std::move(then);
  stmt.orElse = std::move(orElse);
  stmt.loc = std::move(loc);
  return stmt;
}

Stmt tlx::verify::unsupportedStmt(std::string reason, SourceLoc loc) {
  Stmt stmt{Stmt::UnsupportedStmt};
  stmt.name = std::move(reason);
  stmt.loc = std::move(loc);
  return stmt;
}
