// SPDX-License-Identifier: MIT
// How the report looks: colours of Okabe and Ito, dark and light, one column on a phone.
#pragma once
#include <string_view>

namespace drover::io {

inline constexpr std::string_view kReportStyle = R"css(
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--ink:#1a1e24;--soft:#59626e;--line:#dfe3e8;--good:#00795a;--bad:#b34700;
--blue:#0072b2;--red:#d55e00;--arrived:#009e73;--moving:#56b4e9;--waiting:#e69f00;--stopped:#cc79a7;--enclosed:#0072b2;--no_space:#7a4a1e;
--unreachable:#d55e00;--not_started:#b6bdc6}
@media(prefers-color-scheme:dark){:root{--page:#0f1216;--card:#181c22;--ink:#e8ebef;--soft:#9aa4b1;--line:#2b323b;--good:#3ecf9f;--bad:#ff9a4d;
--blue:#56b4e9;--red:#ff8b3d;--not_started:#4a535e;--no_space:#a9713c}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1180px;margin:0 auto;padding:20px 16px 48px;display:grid;gap:16px;grid-template-columns:repeat(2,minmax(0,1fr))}
header,section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;min-width:0}
header,.wide{grid-column:1/-1}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:16px;margin:0 0 2px}
h3{font-size:13px;margin:18px 0 4px;color:var(--soft);font-weight:600}
p{margin:0 0 10px}
.lead,.about{color:var(--soft)}
.about{font-size:13px;margin-bottom:12px}
.verdict{display:flex;flex-wrap:wrap;gap:8px;margin:12px 0 16px}
.badge{border:1.5px solid;border-radius:99px;padding:3px 12px;font-weight:600;font-size:14px}
.good{color:var(--good)}.bad{color:var(--bad)}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:12px 20px;margin:0}
.facts dt{font-size:12px;color:var(--soft)}
.facts dd{margin:0;font-size:21px;font-weight:600;line-height:1.25}
.facts small{display:block;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px;font-weight:400;color:var(--soft)}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.facts dd.mono{font-size:15px;overflow-wrap:anywhere;padding-top:3px}
pre{background:var(--page);border:1px solid var(--line);border-radius:8px;padding:10px 12px;margin:0 0 8px;font-size:13px;white-space:pre-wrap;overflow-wrap:anywhere}
.note-list{margin:14px 0 0;padding:10px 14px;border-left:4px solid var(--red);background:var(--page);border-radius:0 8px 8px 0;font-size:14px;overflow-wrap:anywhere}
.note-list p:last-child{margin:0}
.toggles{display:flex;flex-wrap:wrap;gap:6px 18px;margin-bottom:10px;font-size:14px}
.toggles label{display:inline-flex;gap:6px;align-items:center;cursor:pointer;padding:4px 0}
.toggles input{width:18px;height:18px;margin:0;accent-color:var(--blue)}
.stage{position:relative;background:#0c0d11;border-radius:8px;overflow:hidden;margin:0 auto;border:6px solid #0c0d11}
.stage img,.stage svg{position:absolute;inset:0;width:100%;height:100%;display:block}
.stage img{image-rendering:pixelated}
.stage .field{filter:none}
.map:has(#show-traffic:checked) .field{filter:saturate(.35) brightness(.55)}
.map:has(#show-field:not(:checked)) .field,.map:has(#show-traffic:not(:checked)) .traffic,.map:has(#show-marks:not(:checked)) .marks{display:none}
.marks path{fill:none;stroke-linecap:round;stroke-linejoin:miter}
.marks .start{stroke:#56b4e9}.marks .hole{stroke:#15202c}
.marks .edge{stroke:#0a0a0e!important}.marks .end{stroke:#fff}
.marks .left{stroke:#00be96;stroke-linecap:square}
.marks .goal{stroke:#fff}.marks .door{stroke:#e69f00}.marks .portal{stroke:#d686b4}
.marks .obstacle{fill:#3e2a20f2;fill-rule:evenodd;stroke:#d0aa88}
.legend{display:flex;flex-wrap:wrap;gap:6px 20px;font-size:13px;margin:10px 0 0;padding:0;list-style:none;color:var(--soft)}
.legend li{display:flex;align-items:center;gap:7px}
.legend b{color:var(--ink);font-weight:600}
.swatch{width:14px;height:14px;border-radius:3px;flex:none;display:inline-block;border:1px solid #0003}
.key{width:24px;height:0;border-top:3px solid var(--blue);flex:none}.key.dashed{border-top:2px dashed var(--red)}
.ramp{width:74px;height:12px;border-radius:3px;display:inline-block}
.ramp.f{background:linear-gradient(90deg,#fde725,#6ece58,#1f9e89,#35608d,#482070)}
.ramp.t{background:linear-gradient(90deg,#57106e,#ba3655,#f98c0a,#fcffa4)}
.plot{position:relative;height:230px;margin:22px 8px 36px 54px}
.plot.low{height:110px}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot path,.plot rect{vector-effect:non-scaling-stroke}
.grid{stroke:var(--line);fill:none}
.curve{fill:none;stroke:var(--blue);stroke-width:2.4px}
.limit{fill:none;stroke:var(--red);stroke-width:2px;stroke-dasharray:7 5}
.bars{fill:var(--blue)}.spikes{fill:var(--blue);fill-opacity:.75}
.x,.y,.unit{position:absolute;font-size:12px;line-height:1;color:var(--soft);white-space:nowrap}
.x{top:calc(100% + 7px);transform:translateX(-50%)}
.y{right:calc(100% + 8px);transform:translateY(-50%)}
.unit{right:0;top:calc(100% + 22px)}
.dot{position:absolute;width:11px;height:11px;border-radius:50%;background:var(--blue);border:2px solid var(--card);transform:translate(-50%,-50%)}
.st-arrived{fill:var(--arrived);background:var(--arrived)}.st-moving{fill:var(--moving);background:var(--moving)}
.st-waiting{fill:var(--waiting);background:var(--waiting)}.st-stopped{fill:var(--stopped);background:var(--stopped)}
.st-enclosed{fill:var(--enclosed);background:var(--enclosed)}.st-no_space{fill:var(--no_space);background:var(--no_space)}
.st-unreachable{fill:var(--unreachable);background:var(--unreachable)}.st-not_started{fill:var(--not_started);background:var(--not_started)}
path[class^=st-]{stroke:var(--card);stroke-width:1px;background:none}
table{border-collapse:collapse;width:100%;font-size:14px}
th{font-weight:400;text-align:left;color:var(--soft);padding:4px 10px 4px 0}
td{padding:4px 0;text-align:right}
tr+tr>*{border-top:1px solid var(--line)}
.rows{display:grid;gap:9px;margin:0;padding:0;list-style:none;font-size:14px}
.rows .name{display:flex;justify-content:space-between;gap:12px}
.rows .track{height:10px;border-radius:3px;background:var(--page);margin-top:3px;overflow:hidden}
.rows .track i{display:block;height:100%;min-width:2px;background:var(--waiting);border-radius:3px}
.rows.cold .track i{background:var(--blue)}
.quiet{color:var(--soft)}
ol.waits{list-style:none;margin:0;padding:0}
ol.waits li{display:grid;grid-template-columns:96px minmax(0,1fr);gap:14px;padding:9px 0;overflow-wrap:anywhere}
ol.waits li+li{border-top:1px solid var(--line)}
.waits .long{font-weight:600;font-size:17px;line-height:1.3}
.waits small{display:block;font-size:12px;color:var(--soft);font-weight:400}
.columns{columns:3 260px;column-gap:40px}
.columns div{display:flex;justify-content:space-between;gap:12px;padding:4px 0;border-bottom:1px solid var(--line);break-inside:avoid;font-size:14px}
.columns span:first-child{color:var(--soft)}
.scroll{overflow-x:auto}
footer{grid-column:1/-1;color:var(--soft);font-size:13px;text-align:center}
@media(max-width:760px){main{grid-template-columns:minmax(0,1fr);padding:10px 8px 32px;gap:10px}header,section{padding:14px}
h1{font-size:22px}.plot{height:190px;margin-left:46px}ol.waits li{grid-template-columns:minmax(0,1fr);gap:2px}.facts dd{font-size:18px}.facts dd.mono{font-size:13px}}
@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc}body{font-size:11pt}main{display:block;padding:0}
header,section{border:0;padding:6px 0;break-inside:avoid}.toggles{display:none}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)css";

}  // namespace drover::io
