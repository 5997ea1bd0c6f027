/** The page's program, plain JavaScript of every browser. All names become text nodes. */
export const SCRIPT = `(function(){
'use strict';
var P=JSON.parse(document.getElementById('content').textContent),R=P.report,C=R.clusters;
var app=document.getElementById('app');app.textContent='';
var SVG='http://www.w3.org/2000/svg',picked=-1,sort={key:-1,down:true};
function el(tag,cls,text){var e=document.createElement(tag);if(cls)e.className=cls;if(text!==undefined)e.textContent=text;return e}
function sv(tag,at){var e=document.createElementNS(SVG,tag);for(var k in at)e.setAttribute(k,at[k]);return e}
function add(to){for(var i=1;i<arguments.length;i++)if(arguments[i])to.appendChild(arguments[i]);return to}
function n(v){return Math.round(v).toLocaleString('en-US')}
function short(v){if(v<1000)return String(Math.round(v));if(v<1e6)return (v/1e3).toFixed(v<1e5?1:0)+' k';if(v<1e9)return (v/1e6).toFixed(1)+' M';return (v/1e9).toFixed(1)+' B'}
function pct(v){return v>0&&v<0.01?'< 1 %':Math.round(v*100)+' %'}
function time(ms){if(!ms)return '';var s=ms/1000;if(s<60)return s.toFixed(s<10?1:0)+' s';if(s<3600)return Math.floor(s/60)+' min '+Math.round(s%60)+' s';return Math.floor(s/3600)+' h '+Math.round(s%3600/60)+' min'}
function money(u){return u?'$'+(u/1e6).toFixed(u<1e6?4:2):''}
function tone(id){return id===0?'none':'c'+((id-1)%P.colours)}
function rate(f){return f.rate===null?'unknown':pct(f.rate)+' ('+Math.round(f.low*100)+'-'+Math.round(f.high*100)+')'}
var tip=el('div');tip.id='tip';tip.hidden=true;document.body.appendChild(tip);
function tipOn(e,text){tip.textContent=text;tip.hidden=false;tip.style.left=Math.min(e.clientX+14,innerWidth-300)+'px';tip.style.top=(e.clientY+16)+'px'}
function tipOff(){tip.hidden=true}

var many=C.filter(function(c){return c.id>0}).length;
add(app,el('h1','',many===1?'One kind of '+R.unit:many+' kinds of '+R.unit+'s'));
var notes=el('ul','notes');P.notes.forEach(function(t){add(notes,el('li','',t))});
var two=el('div','two'),left=el('div'),right=el('div','scroll');
add(app,notes,add(two,left,right));

/* The map. */
var map=sv('svg',{class:'map',viewBox:'0 0 600 600',role:'img','aria-label':'Map: units that are much alike lie close together'});
var X=P.points.x,Y=P.points.y,dots=[],min=Math.min.apply(null,X),max=Math.max.apply(null,X),low=Math.min.apply(null,Y),high=Math.max.apply(null,Y);
var span=Math.max(max-min,high-low)||1,px=function(i){return 30+540*((X[i]-min)+(span-(max-min))/2)/span},py=function(i){return 570-540*((Y[i]-low)+(span-(high-low))/2)/span};
var r=X.length>3000?2.5:X.length>800?3.5:5;
var order=X.map(function(_,i){return i}).sort(function(a,b){return (P.points.cluster[a]===0?0:1)-(P.points.cluster[b]===0?0:1)||a-b});
order.forEach(function(i){
  var id=P.points.cluster[i],c=sv('circle',{cx:px(i).toFixed(1),cy:py(i).toFixed(1),r:r,class:tone(id)+(P.points.failed[i]===1?' failed':'')});
  c.addEventListener('mousemove',function(e){tipOn(e,P.points.session[i]+' · '+nameOf(id)+(P.points.failed[i]===1?' · failed':'')+' · '+P.points.tools[i]+' tool calls'+(P.points.duration[i]?' · '+time(P.points.duration[i]):''))});
  c.addEventListener('mouseleave',tipOff);
  c.addEventListener('click',function(){pick(at(id))});
  dots.push({dot:c,id:id});map.appendChild(c)});
C.forEach(function(c){if(c.id===0)return;var xs=[],ys=[];X.forEach(function(_,i){if(P.points.cluster[i]===c.id){xs.push(px(i));ys.push(py(i))}});
  if(!xs.length)return;xs.sort(num);ys.sort(num);var t=sv('text',{x:xs[xs.length>>1].toFixed(1),y:(ys[ys.length>>1]+6).toFixed(1)});t.textContent=c.id;map.appendChild(t)});
function num(a,b){return a-b}
function at(id){for(var i=0;i<C.length;i++)if(C[i].id===id)return i;return -1}
function nameOf(id){var i=at(id);return i<0?'':(id?id+' ':'')+C[i].label}
add(left,map,el('p','quiet','Each point is a '+R.unit+'; close means alike. A red ring: it failed. Click a point or a row.'));

/* The table. */
var COLS=[['#',function(c){return c.id}],['cluster',function(c){return c.label}],['size',function(c){return c.units}],['share',function(c){return c.share}],['tokens',function(c){return c.token_share}],['cost',function(c){return c.cost_microusd}],['active',function(c){return c.active_share}],['duration',function(c){return c.duration_ns.mean}],['p95',function(c){return c.duration_ns.p95}],['tools',function(c){return c.tool_calls_each.mean}],['failed (95 %)',function(c){return c.failures.rate}],['stable',function(c){return c.stability}]];
function some(of){return C.some(function(c){return of(c)>0})}
var CELLS=[function(c){return c.id||''},null,function(c){return n(c.units)},function(c){return pct(c.share)},function(c){return c.tokens?pct(c.token_share):''},function(c){return money(c.cost_microusd)},function(c){return c.active_ns?pct(c.active_share):''},function(c){return time(c.duration_ns.mean/1e6)},function(c){return time(c.duration_ns.p95/1e6)},function(c){return c.tool_calls_each.mean.toFixed(1)},null,function(c){return c.stability===null?'':c.stability.toFixed(2)}];
var SHOWN=COLS.map(function(_,k){return k}).filter(function(k){return k<4||k>8||some(COLS[k][1])});
var table=el('table'),head=el('tr'),body=el('tbody');
SHOWN.forEach(function(k){var col=COLS[k],th=el('th',k===1?'l':''),b=el('button','',col[0]);b.tabIndex=0;b.addEventListener('click',function(){sort={key:k,down:sort.key===k?!sort.down:true};rows()});add(head,add(th,b))});
add(right,add(table,add(el('thead'),head),body));
function rows(){
  body.textContent='';
  var list=C.map(function(_,i){return i});
  if(sort.key>=0)list.sort(function(a,b){var x=COLS[sort.key][1](C[a]),y=COLS[sort.key][1](C[b]);var d=x===y?0:x===null?-1:y===null?1:x<y?-1:1;return (sort.down?-d:d)||a-b});
  list.forEach(function(i){var c=C[i],tr=el('tr','pick '+tone(c.id)+(i===picked?' on':''));tr.tabIndex=0;
    SHOWN.forEach(function(k){
      if(k===1){add(tr,add(el('td','l'),el('span','dot'),document.createTextNode(c.label)));return}
      if(k!==10){add(tr,el('td','',CELLS[k](c)));return}
      var f=el('td','',rate(c.failures));
      if(c.failures.rate!==null){var bar=el('span','bar'),b=el('b'),m=el('i');b.style.left=c.failures.low*100+'%';b.style.width=(c.failures.high-c.failures.low)*100+'%';m.style.left=c.failures.rate*100+'%';add(f,add(bar,b,m))}
      add(tr,f)});
    tr.addEventListener('click',function(){pick(i)});
    tr.addEventListener('keydown',function(e){if(e.key==='Enter'||e.key===' '){e.preventDefault();pick(i)}});
    add(body,tr)})}
var detail=el('section');add(app,detail);

function pick(i){if(i<0)return;picked=i===picked?-1:i;rows();
  dots.forEach(function(d){d.dot.classList.toggle('dim',picked>=0&&d.id!==C[picked].id)});
  show()}

function chips(title,list){if(!list.length)return null;var box=el('div');add(box,el('h3','',title));var row=el('div','chips');list.forEach(function(t){add(row,el('span','chip',t))});return add(box,row)}
function show(){
  detail.textContent='';if(picked<0){drift();return}
  var c=C[picked];
  add(detail,el('h2','',(c.id?c.id+' ':'')+c.label));
  add(detail,el('p','quiet',n(c.units)+' '+R.unit+'s ('+pct(c.share)+'); failed '+rate(c.failures)+' of '+n(c.failures.known)+'; tokens each '+short(c.tokens_each.mean)+' (p95 '+short(c.tokens_each.p95)+'); model calls '+c.calls_each.mean.toFixed(1)+'; tool calls '+c.tool_calls_each.mean.toFixed(1)+' (p95 '+n(c.tool_calls_each.p95)+')'));
  add(detail,chips('Telling',c.terms),chips('Tools',c.tools.map(function(t){return t.name+' · '+n(t.times)+' times in '+pct(t.units/c.units)})),chips('Files',c.files.map(function(t){return t.name+' · in '+pct(t.units/c.units)})));
  c.central.concat(c.edge).forEach(function(x,k){if(x.text!==undefined)add(detail,el('p','quiet',(k<c.central.length?'typical ':'at the edge ')+x.session+': '+x.text))});
  add(detail,el('h3','','Flame graph of this cluster: '+P.flames[picked].measure));
  flame(detail,P.flames[picked]);
  sessions(c);
}
function sessions(c){
  var typical={},edge={};c.central.forEach(function(x){typical[x.session]=1});c.edge.forEach(function(x){edge[x.session]=1});
  var list=X.map(function(_,i){return i}).filter(function(i){return P.points.cluster[i]===c.id});
  list.sort(function(a,b){return P.points.probability[b]-P.points.probability[a]||a-b});
  var wrap=el('div','limit'),t=el('table'),h=el('tr');
  ['session','','ended','tokens','duration','tool calls','belongs'].forEach(function(x,k){add(h,el('th',k<3?'l':'',x))});
  var b=el('tbody');
  list.forEach(function(i){var s=P.points.session[i],tr=el('tr');
    add(tr,el('td','l',s),el('td','l',typical[s]?'typical':edge[s]?'at the edge':''),el('td','l'+(P.points.failed[i]===1?' bad':''),['','ok','failed'][P.points.failed[i]+1]),el('td','',P.points.tokens[i]?short(P.points.tokens[i]):''),el('td','',time(P.points.duration[i])),el('td','',n(P.points.tools[i])),el('td','',c.id?P.points.probability[i].toFixed(2):''));add(b,tr)});
  add(detail,el('h3','','Sessions (agentpprof --session-id takes these names)'),add(wrap,add(t,add(el('thead'),h),b)));
}
function flame(to,F){
  var root=0,box=el('div','flame'),kids=F.parent.map(function(){return []});
  F.parent.forEach(function(p,i){if(i)kids[p].push(i)});kids.forEach(function(k){k.sort(function(a,b){return F.value[b]-F.value[a]||a-b})});
  if(!F.value[0]){add(to,el('p','quiet','nothing to draw'));return}
  var kinds={};
  function draw(){
    box.textContent='';var deep=0,path=[];for(var p=root;p;p=F.parent[p])path.unshift(p);path.unshift(0);if(root===0)path=[0];
    path.forEach(function(p,d){if(p!==root)put(p,d,0,1)});
    (function walk(i,d,x,w){if(w<0.0015)return;put(i,d,x,w);deep=Math.max(deep,d);var a=x;kids[i].forEach(function(k){var kw=w*F.value[k]/F.value[i];walk(k,d+1,a,kw);a+=kw})})(root,path.length-1,0,1);
    box.style.height=(deep+1)*21+'px'}
  function put(i,d,x,w){var name=F.names[F.name[i]],kind=name.slice(0,name.indexOf(':')+1);if(!(kind in kinds))kinds[kind]=Object.keys(kinds).length%6;
    var e=el('div','k'+(i?kinds[kind]:0),w>0.03?name+(w>0.12?'  '+short(F.value[i])+' · '+pct(F.value[i]/F.value[0]):''):'');
    e.style.left=x*100+'%';e.style.width=w*100+'%';e.style.top=d*21+'px';e.tabIndex=0;
    function go(){root=i;draw()}
    e.addEventListener('click',go);e.addEventListener('keydown',function(v){if(v.key==='Enter')go();if(v.key==='Escape'){root=0;draw()}});
    e.addEventListener('mousemove',function(v){tipOn(v,name+' · '+n(F.value[i])+' '+F.measure+' · '+pct(F.value[i]/F.value[0]))});e.addEventListener('mouseleave',tipOff);
    add(box,e)}
  draw();add(to,box)}
function drift(){
  if(!R.by)return;
  add(detail,el('h2','','By '+R.by.field));
  var wrap=el('div','scroll'),t=el('table'),h=el('tr'),b=el('tbody');
  add(h,el('th','','#'),el('th','l','cluster'));R.by.periods.forEach(function(p){add(h,el('th','',p.period+' ('+n(p.units)+')'))});
  R.by.clusters.forEach(function(c){var tr=el('tr');add(tr,el('td','',c.id||''),el('td','l',c.label));c.periods.forEach(function(p){add(tr,el('td','',(p.change===''||p.change==='same'?'':p.change+' ')+pct(p.share)))});add(b,tr)});
  add(detail,add(wrap,add(t,add(el('thead'),h),b)))}
rows();
var first=C.length&&!R.by?0:-1;if(first>=0&&location.hash!=='#all')pick(first);else show();
})();`;
