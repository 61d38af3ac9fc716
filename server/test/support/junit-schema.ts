/**
 * Strict parser and validator of JUnit reports: XML 1.0 without declarations, and one `testsuites`
 * with the elements and attributes of Surefire's schema (surefire-test-report.xsd 3.0).
 */

export interface XmlElement {
	readonly name: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly children: readonly XmlElement[];
	readonly text: string;
}

/** Characters that XML 1.0, section 2.2, allows. */
const LEGAL = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const TOKEN = /<(\/?)([A-Za-z-]+)((?:\s+[A-Za-z_-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;

/** @throws Error for a text that is not well-formed */
export function parseXml(text: string): XmlElement {
	if (!LEGAL.test(text)) throw new Error("The text has a character that XML 1.0 does not allow.");
	const [head = ""] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(text) ?? [];
	const top = { name: "", attributes: {}, children: [] as XmlElement[], text: "" };
	const open: { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string }[] = [top];
	TOKEN.lastIndex = head.length;
	let end = head.length;
	for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
		end = TOKEN.lastIndex;
		const [, closes, name = "", attributes = "", isEmpty, characters] = match;
		const last = open.at(-1) ?? top;
		if (characters !== undefined) last.text += decodeText(characters);
		else if (closes) {
			if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element.`);
		} else {
			const element = { name, attributes: readAttributes(attributes), children: [], text: "" };
			last.children.push(element);
			if (!isEmpty) open.push(element);
		}
	}
	if (end !== text.length) throw new Error(`No XML at character ${end}: ${text.slice(end, end + 60)}`);
	const [root, ...more] = top.children;
	if (root === undefined || more.length > 0 || open.length !== 1) throw new Error("There must be one whole element.");
	return root;
}

function readAttributes(text: string): Record<string, string> {
	const all: Record<string, string> = {};
	for (const [, name = "", value = ""] of text.matchAll(/([A-Za-z_-]+)="([^"]*)"/g)) {
		if (name in all) throw new Error(`The attribute ${name} occurs twice.`);
		// Parsers replace white space by spaces unless it is a character reference.
		all[name] = decodeText(value.replace(/[\t\n\r]/g, " "));
	}
	return all;
}

/** Decodes the text of an element or an attribute, with line ends normalized. */
const decodeText = (text: string): string =>
	text.replace(/\r\n?/g, "\n").replace(/&([^;]*;?)/g, (whole, reference: string) => {
		const code = /^#(\d+);$/.exec(reference)?.[1];
		const character = code === undefined ? NAMED[reference.replace(/;$/, "")] : String.fromCodePoint(Number(code));
		if (character === undefined || !reference.endsWith(";") || !LEGAL.test(character))
			throw new Error(`${whole} is no reference.`);
		return character;
	});

interface Rule {
	readonly required: readonly string[];
	readonly optional?: readonly string[];
	/** The names of the children, each with a comma after it. */
	readonly children?: RegExp;
}

const PROBLEM: Rule = { required: ["type"], optional: ["message"] };
const RULES: Readonly<Record<string, Rule>> = {
	testsuites: { required: [], optional: ["name", "time", "tests", "failures", "errors"], children: /^(testsuite,)*$/ },
	testsuite: {
		required: ["name", "tests", "errors", "skipped", "failures"],
		optional: ["time", "group"],
		children: /^(properties,)*(testcase,)*$/,
	},
	properties: { required: [], children: /^(property,)*$/ },
	property: { required: ["name", "value"] },
	testcase: {
		required: ["name", "time"],
		optional: ["classname", "group"],
		children: /^(failure,)*(skipped,)?(error,)?(system-out,)?(system-err,)?$/,
	},
	failure: PROBLEM,
	error: PROBLEM,
	skipped: { required: [], optional: ["message"] },
};
const TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?$/;

/** Lists violations of the schema and wrong counts. */
export function listJunitProblems(root: XmlElement): string[] {
	const problems = root.name === "testsuites" ? [] : [`The root is ${root.name}.`];
	const visit = (element: XmlElement) => {
		const { name, attributes, children, text } = element;
		const rule = RULES[name];
		if (rule === undefined) return problems.push(`There is no element ${name}.`);
		const names = Object.keys(attributes);
		for (const one of rule.required) if (!names.includes(one)) problems.push(`${name} lacks ${one}.`);
		for (const one of names)
			if (![...rule.required, ...(rule.optional ?? [])].includes(one))
				problems.push(`${name} has no attribute ${one}.`);
		if (attributes.time !== undefined && !TIME.test(attributes.time)) problems.push(`${attributes.time} is no time.`);
		const below = children.map((child) => `${child.name},`).join("");
		if (!(rule.children ?? /^$/).test(below)) problems.push(`${name} has the children ${below}`);
		if (rule.children !== undefined && text.trim() !== "") problems.push(`${name} has text.`);
		if (name === "testsuite" || name === "testsuites") problems.push(...listWrongCounts(element));
		for (const child of children) visit(child);
		return problems.length;
	};
	visit(root);
	return problems;
}

function listWrongCounts({ name, attributes, children }: XmlElement): string[] {
	const cases = name === "testsuite" ? children : children.flatMap((suite) => suite.children);
	const tests = cases.filter((one) => one.name === "testcase");
	const count = (kind: string) => tests.filter((one) => one.children.some((child) => child.name === kind)).length;
	const right = { tests: tests.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
	return Object.entries(right).flatMap(([key, value]) =>
		attributes[key] === undefined || attributes[key] === String(value)
			? []
			: [`${name} has ${key} ${attributes[key]}.`],
	);
}
