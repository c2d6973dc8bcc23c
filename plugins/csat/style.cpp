// The style sheet of the survey's pages. Text on its ground has a contrast of 4.5 or more in both
// schemes, and every state is told by more than a colour.

#include "page.hpp"

namespace csat {
namespace {

constexpr const char* style = R"css(:root {
  color-scheme: light dark;
  --ground: #f3f5f8;
  --card: #ffffff;
  --text: #1b2430;
  --quiet: #55606e;
  --line: #77828f;
  --accent: #1d5fc4;
  --on-accent: #ffffff;
  --chosen: #e6effc;
  --problem: #b3261e;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11161d;
    --card: #1a212b;
    --text: #e8ecf1;
    --quiet: #a8b3c0;
    --line: #6c7886;
    --accent: #8ab8ff;
    --on-accent: #0b1a30;
    --chosen: #22344f;
    --problem: #ffb4ab;
  }
}

* {
  box-sizing: border-box;
}

body {
  margin: 0;
  padding: 1rem;
  background: var(--ground);
  color: var(--text);
  font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}

main {
  max-width: 42rem;
  margin: 0 auto;
  padding: 1.5rem;
  background: var(--card);
  border-radius: 1rem;
  box-shadow: 0 1px 3px rgb(0 0 0 / 0.15);
  overflow-wrap: anywhere;
}

h1 {
  margin: 0 0 0.25rem;
  font-size: 1.75rem;
  line-height: 1.2;
}

.item {
  margin: 0 0 1.5rem;
  color: var(--quiet);
}

.key {
  font-weight: 600;
  white-space: nowrap;
}

fieldset {
  margin: 0 0 1.5rem;
  padding: 0;
  border: 0;
  min-width: 0;
}

legend,
label.comment {
  display: block;
  margin: 0 0 0.5rem;
  padding: 0;
  font-weight: 600;
}

.hint {
  color: var(--quiet);
  font-weight: 400;
}

.scores {
  display: grid;
  gap: 0.5rem;
}

.score {
  display: flex;
  align-items: center;
  gap: 0.75rem;
  min-height: 3rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  cursor: pointer;
}

.score:hover {
  border-color: var(--accent);
}

.score:has(input:checked) {
  border-color: var(--accent);
  background: var(--chosen);
  box-shadow: inset 0 0 0 1px var(--accent);
}

.score input {
  flex: none;
  width: 1.25rem;
  height: 1.25rem;
  margin: 0;
  accent-color: var(--accent);
}

.number {
  font-weight: 700;
  font-size: 1.25rem;
}

textarea {
  display: block;
  width: 100%;
  padding: 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--card);
  color: inherit;
  font: inherit;
  resize: vertical;
}

textarea[aria-invalid="true"] {
  border: 2px solid var(--problem);
}

button {
  width: 100%;
  min-height: 3rem;
  margin-top: 1.5rem;
  padding: 0.5rem 1.5rem;
  border: 2px solid transparent;
  border-radius: 0.75rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}

:focus-visible,
.score:focus-within {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}

.score input:focus-visible {
  outline: none;
}

.problem {
  margin: 0 0 0.5rem;
  color: var(--problem);
  font-weight: 600;
}

dl {
  margin: 1.5rem 0 0;
  padding: 1rem;
  border-radius: 0.75rem;
  background: var(--ground);
}

dt {
  color: var(--quiet);
}

dd {
  margin: 0 0 0.75rem;
}

dd:last-child {
  margin-bottom: 0;
}

.text {
  white-space: pre-line;
}

@media (min-width: 40rem) {
  body {
    padding: 3rem 1rem;
  }

  main {
    padding: 2.5rem;
  }

  .scores {
    grid-template-columns: repeat(5, 1fr);
  }

  .score {
    flex-direction: column;
    justify-content: flex-start;
    gap: 0.25rem;
    padding: 1rem 0.25rem;
    text-align: center;
    font-size: 0.875rem;
    line-height: 1.3;
    overflow-wrap: normal;
  }

  button {
    width: auto;
  }
}
)css";

}  // namespace

radd::HttpResponse style_sheet() {
    return {.content_type = "text/css; charset=utf-8",
            .body = style,
            .headers = {{"Cache-Control", "public, max-age=3600"}}};
}

}  // namespace csat
