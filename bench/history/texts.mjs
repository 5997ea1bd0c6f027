// @ts-check
// Text to fill histories with, cut from pools that are made once: making each text anew would be slower than writing it.

const WORDS =
  'a the of to in for on with from by as at or and not but if so when then than that this these those it its we you they one two all any some each more most less only also still just after before while until again here there how why what who which error warning test build file line module value string number list tree node key token cache parser lexer request response server client session login cart order report branch commit merge release version option default index query table column row stack frame call return import export async await const class function type interface struct trait'.split(
    ' ',
  );
const CHINESE =
  '请先看一下最近的改动再决定怎么处理这个错误测试没有通过是因为配置里少了一个字段我已经补上并且更新了说明文档如果并发太高数据库连接会超时所以增加了重试和上限登录之后跳转到首页之前需要检查会话是否过期解析大文件时内存占用过多可以改成逐行读取然后再汇总结果发布之前把版本号和变更日志一起提交';
const SIGNS = ['✅', '❌', '🚀', '→', '…', '“', '”', 'é', 'ß', '├──', '└──'];
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const POOL = 1 << 18;

export class Texts {
  /**
   * @param {import('../../scripts/sample/chance.mjs').Chance} chance
   * @param {object} options
   * @param {number} options.chinese share of texts in Chinese
   * @param {number} options.scale factor of all lengths
   * @param {boolean} options.loneSurrogates whether a cut may split an emoji
   */
  constructor(chance, { chinese, scale, loneSurrogates }) {
    this.chance = chance;
    this.chinese = chinese;
    this.scale = 1;
    this.loneSurrogates = loneSurrogates;
    const word = () => chance.pick(WORDS);
    const name = () => (chance.happens(0.5) ? word() : `${word()}_${word()}`);
    const some = (/** @type {number} */ n) => this.words(n);
    const zh = (/** @type {number} */ low, /** @type {number} */ high) => {
      const at = chance.between(0, CHINESE.length - high);
      return CHINESE.slice(at, at + chance.between(low, high));
    };
    const indent = () => '  '.repeat(chance.between(0, 4));
    this.pools = {
      code: pool(POOL, () =>
        chance.pick([
          () => `${indent()}const ${name()} = await ${name()}(${name()}, "${name()}");\n`,
          () => `${indent()}if (!${name()}) {\n`,
          () => `${indent()}}\n\n`,
          () => `\t// ${some(40)}\n`,
          () => `import { ${name()} } from './${name()}.ts';\n`,
        ])(),
      ),
      numbered: pool(
        POOL,
        () => `${String(chance.between(1, 3000)).padStart(6)}\t${indent()}${name()}("${name()}", ${some(20)})\n`,
      ),
      log: pool(
        POOL,
        () =>
          `2025-10-0${chance.between(1, 9)}T1${chance.between(0, 9)}:20:3${chance.between(0, 9)}Z ${chance.pick(['INFO', 'WARN', 'ERROR'])} ${some(70)} id=${chance.hex(16)}\n`,
      ),
      grep: pool(
        POOL,
        () => `src/${word()}/${word()}.ts:${chance.between(1, 900)}:${indent()}${name()}("${name()}")\n`,
      ),
      json: pool(
        POOL,
        () =>
          `${JSON.stringify({ id: chance.hex(12), name: name(), path: `C:\\src\\${word()}`, note: some(30), n: chance.between(0, 1e6) })}\n`,
      ),
      colour: pool(
        POOL / 2,
        () => `\u001b[32m✓\u001b[39m ${some(30)} \u001b[2m${chance.between(1, 90)} ms\u001b[22m\r\n`,
      ),
      prose: pool(POOL, () => some(180) + chance.pick(['\n\n', '. ', `\n- \`${name()}.ts\`: `])),
      signs: pool(POOL, () => `${some(110)}${chance.pick(SIGNS)} `),
      chinese: pool(POOL / 2, () => zh(6, 28) + chance.pick(['，', '。', '。\n', ` \`${name()}\` `])),
      chineseCode: pool(POOL / 2, () => `${indent()}${name()}(${name()}); // ${zh(4, 18)}\n`),
      base64: chance.text(POOL, BASE64),
    };
    this.scale = scale;
  }

  /** @param {number} length at least so many characters of English words */
  words(length) {
    let text = '';
    while (text.length < length * this.scale) text += `${this.chance.pick(WORDS)} `;
    return text;
  }

  /** A word to name something. */
  name() {
    return this.chance.pick(WORDS);
  }

  /** About `length` characters from a random place of a pool. @param {keyof Texts['pools']} kind @param {number} length */
  cut(kind, length) {
    return this.slice(kind, Math.ceil(length * this.scale));
  }

  /** @param {keyof Texts['pools']} kind @param {number} length @returns {string} */
  slice(kind, length) {
    const from = this.pools[kind];
    const half = from.length >> 1;
    if (length > half) return this.slice(kind, half) + this.slice(kind, length - half);
    let start = this.chance.between(0, from.length - length - 1);
    let end = start + Math.max(0, length);
    if (!this.loneSurrogates) {
      if (isLow(from, start)) start++;
      if (isLow(from, end)) end++;
    }
    return from.slice(start, end);
  }

  /** Prose of any language. @param {number} length */
  prose(length) {
    if (this.chance.happens(this.chinese)) return this.cut('chinese', length);
    return this.cut(this.chance.happens(0.5) ? 'signs' : 'prose', length);
  }

  /** Code of any language. @param {number} length @param {'code' | 'numbered'} [kind] */
  code(length, kind = 'code') {
    return this.cut(this.chance.happens(this.chinese) ? 'chineseCode' : kind, length);
  }

  /** What commands print. @param {number} length */
  printed(length) {
    if (this.chance.happens(this.chinese)) return this.cut('chinese', length);
    return this.cut(this.chance.pick(['log', 'log', 'code', 'grep', 'json', 'colour', 'signs']), length);
  }
}

/** @param {string} text @param {number} at whether the unit there is the second half of a pair */
function isLow(text, at) {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** @param {number} size @param {() => string} make */
function pool(size, make) {
  const parts = [];
  for (let length = 0; length < size; ) {
    const part = make();
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}
