//===- HtmlPage.h - the fixed parts of the page ---------------------------===//
#pragma once

namespace tlx::sim {

extern const char *const htmlHead;   ///< up to the title's text
extern const char *const htmlStyle;  ///< from behind the title to the body's beginning
extern const char *const htmlScript; ///< draws `data`, which stands before it

} // namespace tlx::sim
