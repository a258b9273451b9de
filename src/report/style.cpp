// Contrast of every colour of text against its ground is above 4.5 to 1, in both schemes.
#include "report/style.hpp"

namespace sbx::report {

const std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #f7f7f5; --panel: #ffffff; --sunk: #f4f5f6;
  --ink: #1c2024; --soft: #59626d; --rule: #dfe2e6; --grid: #eceef0;
  --good: #17703a; --bad: #b3261e; --stopped: #8a4f00; --unknown: #59626d;
  --good-ground: #e7f4ec; --bad-ground: #fcebea; --stopped-ground: #fdf1dd; --unknown-ground: #eef0f2;
  --link: #1d5fa8; --escape: #a3260f;
  --cpu: #2a6fbb; --memory: #7a4cb8; --pids: #14806b; --read: #2a6fbb; --write: #b5560f;
  --limit: #b3261e;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121518; --panel: #1a1e22; --sunk: #14181b;
    --ink: #e4e7ea; --soft: #9ba5b0; --rule: #2c3238; --grid: #252a30;
    --good: #5cc98a; --bad: #ff8f86; --stopped: #e6b052; --unknown: #9ba5b0;
    --good-ground: #15291e; --bad-ground: #331b1a; --stopped-ground: #2e2413; --unknown-ground: #22272c;
    --link: #79b4f2; --escape: #ff9d80;
    --cpu: #62a5ea; --memory: #b48bec; --pids: #4bbfa5; --read: #62a5ea; --write: #e8935a;
    --limit: #ff8f86;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
    "Liberation Sans", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
.page { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.5rem 3rem; }
h1, h2, h3, p, dl, dd, ul, figure, pre { margin: 0; padding: 0; }
code, pre, h1, .path, .card h3 { font-family: var(--mono); font-variant-ligatures: none; }
code { font-size: .92em; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.e { color: var(--escape); background: var(--bad-ground); border-radius: 2px; }
.meta { color: var(--soft); font-size: .87rem; }
.meta > span + span::before { content: "\00b7"; margin: 0 .55em; }
.note { color: var(--soft); font-size: .9rem; }

.top h1 { font-size: 1.3rem; line-height: 1.4; font-weight: 600; margin: .35rem 0 1.1rem; }
.verdict {
  display: inline-block; padding: .3rem .85rem .3rem .65rem; border-radius: .35rem;
  font-size: 1.05rem; font-weight: 600; border: 1px solid currentColor;
}
.verdict .sign { display: inline-block; min-width: 1.1em; text-align: center; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.stopped { color: var(--stopped); background: var(--stopped-ground); }
.unknown { color: var(--unknown); background: var(--unknown-ground); }
.top details pre { margin-top: .3rem; }
.verdict + .meta { margin-top: .6rem; }
.reason { margin: .8rem 0 .3rem; max-width: 46rem; }

.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr));
  margin: 1.8rem 0 0; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; overflow: hidden;
}
.figures > div { padding: .8rem 1rem .9rem; border: solid var(--rule); border-width: 0 1px 1px 0; margin: 0 -1px -1px 0; }
.figures dt { color: var(--soft); font-size: .82rem; }
.figures dd b { display: block; font-size: 1.3rem; font-weight: 600; line-height: 1.35; font-variant-numeric: tabular-nums; }
.figures dd span { display: block; color: var(--soft); font-size: .82rem; }
.bar { display: block; width: 100%; height: 4px; margin-top: .5rem; }
.bar .all { fill: var(--rule); }
.bar .used { fill: var(--cpu); }
.bar .high { fill: var(--limit); }

.toc { margin: 1.4rem 0 0; font-size: .9rem; }
.toc ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; }
main > section { margin-top: 2.6rem; }
h2 { font-size: 1.12rem; font-weight: 650; padding-bottom: .4rem; border-bottom: 1px solid var(--rule); margin-bottom: 1rem; }
h3 { font-size: .95rem; font-weight: 600; }

.chart { margin: 0 0 1.3rem; padding: 0 .9rem 0 5.2rem; }
.chart.last { padding-bottom: 1.4rem; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; align-items: baseline; margin-bottom: .45rem; font-size: .85rem; color: var(--soft); }
.chart figcaption b { color: var(--ink); font-weight: 600; min-width: 5.6em; margin-left: -5.2rem; }
.key { display: inline-flex; align-items: center; gap: .45em; }
.swatch { flex: none; }
.plot { display: block; width: 100%; height: 96px; overflow: visible; }
.plot text { fill: var(--soft); font-size: 11.5px; font-variant-numeric: tabular-nums; }
.plot .y { text-anchor: end; }
.plot .x { text-anchor: middle; }
.grid { stroke: var(--rule); stroke-width: 1; shape-rendering: crispEdges; }
.line { fill: none; stroke-width: 1.75; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.area { stroke: none; fill-opacity: .14; }
.limit { stroke: var(--limit); stroke-width: 1.5; stroke-dasharray: 5 4; shape-rendering: crispEdges; fill: none; }
.line.cpu { stroke: var(--cpu); } .area.cpu { fill: var(--cpu); }
.line.memory { stroke: var(--memory); } .area.memory { fill: var(--memory); }
.line.pids { stroke: var(--pids); } .area.pids { fill: var(--pids); }
.line.read { stroke: var(--read); }
.line.write { stroke: var(--write); stroke-dasharray: 7 3; }
.hit { fill: var(--ink); fill-opacity: 0; }
.hit:hover { fill-opacity: .1; }
.chart .none { margin-left: -5.2rem; color: var(--soft); font-size: .9rem; }
details { margin-top: .4rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; margin-bottom: .5rem; }

.stream + .stream { margin-top: 1.3rem; }
.stream h3 { display: inline; margin-right: .7rem; }
.stream .meta { display: inline; }
.stream .box, .stream .note, .box + .note { margin-top: .4rem; }
.box {
  overflow: auto; max-height: 32rem; background: var(--sunk); border: 1px solid var(--rule); border-radius: .4rem;
}
pre.box {
  padding: .75rem .9rem; font-size: .82rem; line-height: 1.5; tab-size: 8;
  white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext;
}
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .8rem; border-bottom: 1px solid var(--rule); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { position: sticky; top: 0; background: var(--sunk); overflow-wrap: normal; color: var(--soft); font-weight: 600; box-shadow: inset 0 -1px var(--rule); }
tbody th { font-weight: 400; color: var(--soft); }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.data { width: max-content; min-width: 100%; }
.data td, .data th { max-width: 24rem; unicode-bidi: isolate; }
.data td { white-space: pre-wrap; overflow-wrap: break-word; }
.table { width: fit-content; max-width: 100%; background: var(--panel); }
.table.wide { width: auto; }
.path { min-width: 10rem; }

.card { margin-top: 1.3rem; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; padding: .9rem 1rem; }
.card > header { margin-bottom: .7rem; }
.card:target { border-color: var(--link); }
.card > footer { margin-top: .7rem; color: var(--soft); font-size: .8rem; }
.picture { background: #fff; border: 1px solid var(--rule); border-radius: .4rem; padding: .5rem; text-align: center; }
.picture img { display: inline-block; max-width: 100%; height: auto; max-height: 44rem; object-fit: contain; vertical-align: middle; }

.rows > div { display: grid; grid-template-columns: 9rem 1fr; gap: 1rem; padding: .42rem 0; border-bottom: 1px solid var(--rule); }
.rows > div:last-child { border-bottom: 0; }
.rows dt { color: var(--soft); }
.words { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
.lost { color: var(--stopped); font-weight: 600; }
.warnings { padding-left: 1.2rem; }
.foot { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--rule); color: var(--soft); font-size: .82rem; }

@media (max-width: 40rem) {
  .page { padding: 1.4rem 1rem 2rem; }
  .figures { grid-template-columns: 1fr 1fr; }
  .chart { padding-left: 4.6rem; padding-right: .6rem; }
  .chart figcaption b, .chart .none { margin-left: -4.6rem; }
  .chart figcaption b { flex-basis: calc(100% + 4.6rem); }
  .rows > div { grid-template-columns: 1fr; gap: 0; }
  .type { display: none; }
}
@media print {
  :root {
    --ground: #fff; --panel: #fff; --sunk: #fff; --ink: #000; --soft: #444; --rule: #bbb; --link: #000;
    --good: #17703a; --bad: #b3261e; --stopped: #8a4f00; --escape: #a3260f; --limit: #b3261e;
    --good-ground: #fff; --bad-ground: #fff; --stopped-ground: #fff; --unknown-ground: #fff;
    --cpu: #2a6fbb; --memory: #7a4cb8; --pids: #14806b; --read: #2a6fbb; --write: #b5560f;
  }
  body { font-size: 10.5pt; }
  .page { max-width: none; padding: 0; }
  .toc { display: none; }
  .box { max-height: none; overflow: visible; }
  thead th { position: static; }
  .chart, .picture, .figures, tr { break-inside: avoid; }
  h2, h3, .card > header { break-after: avoid; }
}
)css";

}  // namespace sbx::report
