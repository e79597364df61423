/** The style of the page: colours by scheme, letters, sections, drawings, print. */

/** Colours; text has a contrast of 4.5 or more on paper and on surface, marks of 3 or more. */
const LIGHT = `color-scheme:light;--paper:#ffffff;--surface:#f6f7f9;--ink:#1b1f24;--muted:#59636e;--rule:#e1e5ea;--edge:#c3cad2;
--accent:#0b5cad;--soft:#e4eef9;--warn:#8a4b00;--warn-soft:#fff4e2;
--series-0:#0b5cad;--series-1:#b8500c;--series-2:#2a7a50;--series-3:#7a4bb0;--series-4:#8a6a00;--series-5:#b03060;--series-6:#59636e;--bar:#98a2ad;`;
const DARK = `color-scheme:dark;--paper:#12161b;--surface:#1a2027;--ink:#e6eaee;--muted:#9ba6b2;--rule:#2a323b;--edge:#46515d;
--accent:#6db2f5;--soft:#1b3048;--warn:#f2b866;--warn-soft:#33271a;
--series-0:#6db2f5;--series-1:#f0985a;--series-2:#69c193;--series-3:#bf9bea;--series-4:#d8b648;--series-5:#f088ac;--series-6:#9ba6b2;--bar:#5b6773;`;

const series = Array.from(
  { length: 7 },
  (_, slot) => `.fill-${slot}{fill:var(--series-${slot})}.line-${slot}{stroke:var(--series-${slot})}`,
).join("");

/** Of domains in trees: light enough for dark numbers, in both schemes; apart in hue and lightness. */
const domains = [
  "#9cc7ee",
  "#f6b26b",
  "#a8d5a2",
  "#d4b5e8",
  "#f1a5a0",
  "#f2dc7c",
  "#8fd3cf",
  "#e6b8a2",
  "#c9ced6",
  "#f0b3d3",
]
  .map((fill, domain) => `.domain-${domain}{fill:${fill}}`)
  .join("");

export const STYLE: string = `
:root{${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{${DARK}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
.page{max-width:1116px;margin-inline:auto;padding-inline:24px}
.skip{position:absolute;left:-999px;top:8px;padding:.5rem 1rem;background:var(--accent);color:var(--paper)}
.skip:focus{left:24px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px;border-radius:2px}
a{color:var(--accent);text-underline-offset:.2em}
h1,h2,h3,p,figure,dl,dd,ul{margin:0}
h1{font-size:clamp(1.9rem,1.3rem + 2.6vw,2.9rem);line-height:1.15;letter-spacing:-.022em;font-weight:680;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1.6rem;line-height:1.25;letter-spacing:-.014em;font-weight:660}
h3{font-size:1.05rem;font-weight:640;margin:2.75rem 0 1.25rem}
.masthead{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding-block:1.25rem;font-size:.9rem;color:var(--muted)}
.masthead b{color:var(--ink);font-weight:660;letter-spacing:.01em}
#theme{font:inherit;color:var(--ink);background:var(--surface);border:1px solid var(--edge);border-radius:999px;padding:.3rem .95rem;cursor:pointer;white-space:nowrap}
#theme:hover{border-color:var(--accent)}
#theme[aria-pressed=true]{background:var(--soft)}
.cover{padding-block:3rem 1rem}
.cover .lead{margin-top:1rem;color:var(--muted);max-width:44rem;font-size:1.08rem;overflow-wrap:anywhere}
.headline{margin-top:1.75rem;max-width:48rem;font-size:1.35rem;line-height:1.4;font-weight:600;text-wrap:balance;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:1.75rem 2rem;margin-top:2.5rem;padding-top:1.75rem;border-top:2px solid var(--ink)}
.figures div{display:flex;flex-direction:column}
.figures dt{order:2;font-size:.9rem;line-height:1.4;color:var(--muted);margin-top:.35rem}
.figures dd{order:1;font-size:1.7rem;line-height:1.15;font-weight:640;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.figures div:first-child dd{color:var(--accent)}
.meaning{margin-top:3rem;padding:1.5rem 1.75rem;background:var(--surface);border-radius:8px;border-left:3px solid var(--accent)}
.meaning h2{font-size:1.1rem}
.meaning ul{padding-left:1.1rem;margin-top:.6rem;display:grid;gap:.5rem}
.meaning li{max-width:56rem;overflow-wrap:anywhere}
nav{margin-top:2.5rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;list-style:none;padding:0}
nav a{display:inline-block;padding-block:.25rem;text-decoration:none;font-size:.95rem}
nav a:hover{text-decoration:underline}
section{margin-top:4.5rem;padding-top:2.25rem;border-top:1px solid var(--rule)}
section>header{margin-bottom:2rem}
section>header p{margin-top:.5rem;color:var(--muted);max-width:46rem}
.columns{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:2.75rem 24px}
.columns>figure,.halves>figure{display:grid;grid-row:span 2;grid-template-rows:subgrid;row-gap:.9rem}
.halves{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(480px,100%),1fr));gap:2.75rem 36px}
.columns+figure,figure+.columns,.columns+.columns,.halves+.columns,.columns+.halves,figure+.halves,.legend+.columns,.facts+.columns,.absent+figure,.absent+.columns{margin-top:2.5rem}
.columns+details{margin-top:2rem}.small+.columns{margin-top:1.75rem}.absent .lines{max-width:none}
.legend+.columns,.legend+.halves{margin-top:1.75rem}
.facts+.legend{margin-top:2rem}
figure{min-width:0}
figure{display:grid;row-gap:.9rem;grid-template-columns:minmax(0,1fr)}
figcaption strong{display:block;font-weight:620;line-height:1.35}
figcaption span{display:block;color:var(--muted);font-size:.9rem;line-height:1.5}
.drawn svg{display:block;max-width:100%;height:auto}
.drawn svg.narrow{display:none}
@media screen and (max-width:760px){.drawn svg.wide{display:none}.drawn svg.narrow{display:block}}
svg{font-size:11px}
svg text{fill:var(--ink);font-family:inherit}
svg .muted{fill:var(--muted)}
svg .strong{font-weight:640}
svg .value{font-variant-numeric:tabular-nums}
svg .value.light{fill:#fff}svg .value.dark{fill:#10161d}
.rule{stroke:var(--rule);stroke-width:1}
.tick{stroke:var(--edge)}
.curve{fill:none;stroke-width:1.75;stroke-linejoin:round}
.curve.line-0{stroke-width:2.5}
.fit{fill:none;stroke-width:1.25}
.spread{stroke-width:1.25;opacity:.6}
.mark{fill:var(--paper);stroke-width:1.5}
.mark.line-0{fill:var(--accent)}
.limit{stroke:var(--ink);stroke-width:1.5;fill:none}
.break{stroke:var(--paper);stroke-width:2.5;fill:none}
svg .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.whisker{stroke:var(--ink);stroke-width:1.25;opacity:.75}
.part-1{opacity:.62}.part-2{opacity:.3}
.border{stroke:var(--paper);stroke-width:1.25;fill:none}
.cells image{image-rendering:pixelated}
.cells{cursor:crosshair}
.cursor{fill:none;stroke:#ff3b6b;stroke-width:2}
.band{fill:var(--soft)}
.dot{fill:var(--accent)}
.hollow{fill:var(--paper);stroke:var(--muted);stroke-width:1.75}
.between{stroke:var(--edge);stroke-width:3}
.bar-6{fill:var(--bar)}.bar-0{fill:var(--accent)}
${series}${domains}
.box{fill:var(--paper);stroke:var(--edge)}
.box-machine{fill:var(--surface);stroke:var(--edge)}
.box-package{fill:var(--paper)}
.box-numa,.box-l3{fill:var(--surface)}
.box-core{fill:var(--paper)}
.box-pe{fill:var(--soft);stroke:var(--accent)}
.box-closed{stroke-dasharray:3 2}
.box-more{fill:none;stroke-dasharray:2 3}
svg .box-machine-name,svg .box-package-name{font-weight:620}
svg .box-thread-name,svg .box-closed-name,svg .box-more-name{fill:var(--muted)}
.message{fill:none;stroke:var(--edge);stroke-width:1.25}
.message.across{stroke:var(--series-5);stroke-width:1.5}
.many{stroke-width:.6;opacity:.55}.many.across{stroke-width:.8;opacity:.6}
.pe{stroke:var(--paper);stroke-width:1}
.pe.tiny{stroke-width:.3}.pe.root{stroke:var(--ink);stroke-width:2.5}
svg .pe-name{fill:#14181d;font-variant-numeric:tabular-nums}
.plate{fill:var(--paper)}
svg .order{fill:var(--muted)}
.ring,.domain-ring{fill:none;stroke:var(--rule)}
.domain-ring{stroke:var(--edge);fill:var(--surface);fill-opacity:.7}
svg .on-ring{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.readout{min-height:1.6em;margin-top:.6rem;font-size:.9rem;color:var(--muted);font-variant-numeric:tabular-nums}
.legend{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;list-style:none;padding:0;font-size:.9rem}
.legend li{display:flex;align-items:center;gap:.5rem}
.legend svg{flex:none}
.legend i{width:.8rem;height:.8rem;border-radius:50%;flex:none}
details{margin-top:.75rem;font-size:.9rem}
details>.facts{margin-top:1.25rem}.lines+.columns,.lines+details{margin-top:2rem}
summary{cursor:pointer;color:var(--accent);width:max-content;max-width:100%;padding-block:.15rem}
.scroll{overflow:auto;max-height:26rem;margin-top:.6rem;border:1px solid var(--rule);border-radius:6px}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums;position:relative}
th,td{padding:.35rem .75rem;text-align:left;border-bottom:1px solid var(--rule);white-space:nowrap;font-weight:400}
thead th{color:var(--muted);position:sticky;top:0;background:var(--paper)}
tbody tr:last-child>*{border-bottom:0}
.number{text-align:right}
.absent,.warning{padding:1rem 1.25rem;border-radius:8px;background:var(--surface);color:var(--muted);max-width:56rem;overflow-wrap:anywhere}
.warning{background:var(--warn-soft);color:var(--warn);margin-top:1rem}
.gap{height:2rem}
.small{font-size:.9rem;color:var(--muted);margin-top:1.5rem;max-width:56rem;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(max(150px,20%),100%),1fr));gap:1.1rem 24px}
.facts dt{font-size:.85rem;color:var(--muted)}
.facts dd{overflow-wrap:anywhere}
.lines{padding-left:1.1rem;display:grid;gap:.35rem;max-width:60rem}
.lines li{overflow-wrap:anywhere}
.reasons{margin-top:2.5rem}
code{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--surface);padding:.12em .4em;border-radius:4px;overflow-wrap:anywhere;display:inline-block;max-width:100%}
footer{margin-top:5rem;padding-block:2rem 4rem;border-top:1px solid var(--rule);color:var(--muted);font-size:.9rem}
@media (max-width:480px){.cover{padding-top:1.5rem}section{margin-top:3.25rem}.meaning{padding:1.25rem}.figures{grid-template-columns:1fr 1fr;gap:1.5rem}.figures dd{font-size:1.55rem}}
@media print{:root,:root[data-theme=dark]{${LIGHT}}body{font-size:10pt}.skip,#theme,nav,details:not([open]){display:none}section{break-before:auto;margin-top:2rem}figure{break-inside:avoid}.scroll{max-height:none;overflow:visible}}
`.replaceAll("\n", "");
