/**
 * Writes a property's line from the scanned bytes of its document, as
 * `JSON.stringify(readProperty(…))` would. Nearly all properties are plain enough to copy without
 * parsing their values; the others are left to `readProperty`.
 */
import { type Scanner, SLOTS } from "../../../platform/json/scan.ts";
import { ARRAY, ESCAPED, FALSE, KIND_MASK, NULL, NUMBER, OBJECT, STRING, TRUE } from "../../../platform/json/tokens.ts";
import type { Utf8Writer } from "../../../platform/utf8-writer.ts";
import type { PropertyText } from "./known-properties.ts";
import { createMembers } from "./members.ts";
import { PROPERTY_KEYS, typeOf } from "./property.ts";

/** Integers that are written as they were read. */
const SAFE_DIGITS = 15;
/** The longest word that may stand for no comment. */
const PLACEHOLDER_BYTES = 4;
const [BACKSLASH, SPACE, MINUS, ZERO, NINE] = [0x5c, 0x20, 0x2d, 0x30, 0x39];
/** What JSON.stringify writes behind a backslash, too, but for code points. */
const PLAIN_ESCAPES = new Set(Buffer.from('\\"bfnrt'));

const words = <const Words extends Record<string, string>>(texts: Words) =>
	Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text)])) as Record<
		keyof Words,
		Buffer
	>;
const WORD = words({
	true: "true",
	false: "false",
	null: "null",
	none: '""',
	quote: '"',
	comma: ",",
	close: "}",
	include: '"include"',
	auto: '"auto"',
	string: '"string"',
	default_value: '"defaultValue"',
	name: '{"name":',
	type: ',"type":',
	required: ',"required":',
	naming: ',"naming":',
	label: ',"label":',
	description: ',"description":',
	default: ',"default":',
	valid_values: ',"valid_values":[',
	value: '{"value":',
	local_name: ',"local_name":',
	validators: '],"validators":[',
	read_only: '],"read_only":',
	min: '{"min":',
	max: ',"max":',
	regexs: ',"regexs":[',
	regex: '{"regex":',
	regexs_end: "]}",
	configurable: ',"configurable":',
	create_only: ',"create_only":',
	secure: ',"secure":',
	hidden: ',"hidden":',
	deprecated: ',"deprecated":',
	base_type: ',"base_type":',
	model_type: ',"model_type":',
	like: ',"like":',
	versions: ',"versions":',
	platforms: ',"platforms":[',
	end: "]",
	other: ',"other":',
	line: "}\n",
});

/** Of documents that the scanner has on its tape. */
export function createPropertyLines(scanner: Scanner, out: Utf8Writer) {
	const members = createMembers(PROPERTY_KEYS);
	const choice = createMembers(["value", "localName", "label", "comment"]);
	const validator = createMembers(["min", "max", "regexs", "regex"]);
	const rule = createMembers(["regex", "type"]);
	const types = new Map<string, Buffer>();
	let bytes: Buffer = Buffer.alloc(0);
	let nodes: Int32Array = new Int32Array(0);
	let isPlain = true;
	let other: Record<string, true> | null = null;

	const start = (node: number): number => nodes[node + 1] as number;
	const end = (node: number): number => nodes[node + 2] as number;
	const kindOf = (node: number): number => (node < 0 ? NULL : (nodes[node] as number) & KIND_MASK);
	const isTrue = (node: number): boolean => kindOf(node) === TRUE;
	const isText = (node: number): boolean => kindOf(node) === STRING;
	const isEmpty = (node: number): boolean => end(node) - start(node) === 2;
	const word = (text: Buffer): void => out.copy(text, 0, text.length);
	const flag = (before: Buffer, isSet: boolean): void => {
		word(before);
		word(isSet ? WORD.true : WORD.false);
	};
	const isWord = (node: number, text: Buffer): boolean => {
		const from = start(node);
		if (end(node) - from !== text.length) return false;
		for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text[at]) return false;
		return true;
	};

	/** Calls with the node of each element. */
	function each(array: number, visit: (node: number) => void): void {
		const last = nodes[array + 3] as number;
		for (let node = array + SLOTS; node < last; node = nodes[node + 3] as number) visit(node);
	}

	const isInteger = (node: number): boolean => nodes[node] === NUMBER && end(node) - start(node) <= SAFE_DIGITS;

	function string(node: number): void {
		if (((nodes[node] as number) & ESCAPED) !== 0) {
			for (let at = start(node); at < end(node); at++) {
				if (bytes[at] === BACKSLASH && !PLAIN_ESCAPES.has(bytes[++at] as number)) isPlain = false;
			}
		}
		out.copy(bytes, start(node), end(node));
	}

	/** See `text` of values.ts. */
	function text(node: number): void {
		if (node < 0) word(WORD.none);
		else if (isText(node)) string(node);
		else if (isInteger(node)) {
			word(WORD.quote);
			out.copy(bytes, start(node), end(node));
			word(WORD.quote);
		} else isPlain = false;
	}

	/**
	 * Without the blanks around it; gives how long it is. Which other characters are blank is not for
	 * bytes to tell.
	 */
	function trimmed(node: number): number {
		if (nodes[node] !== STRING) {
			isPlain = false;
			return 0;
		}
		let from = start(node) + 1;
		let to = end(node) - 1;
		while (from < to && bytes[from] === SPACE) from++;
		while (from < to && bytes[to - 1] === SPACE) to--;
		if (from < to && ((bytes[from] as number) > 0x7f || (bytes[to - 1] as number) > 0x7f)) isPlain = false;
		word(WORD.quote);
		out.copy(bytes, from, to);
		word(WORD.quote);
		return to - from;
	}

	function label(node: number): void {
		if (node < 0) word(WORD.none);
		else trimmed(node);
	}

	/** See `remark` of values.ts. */
	function remark(node: number): void {
		const only = node + SLOTS;
		if (node < 0) word(WORD.none);
		else if (kindOf(node) !== ARRAY || isEmpty(node) || nodes[only + 3] !== nodes[node + 3]) isPlain = false;
		else {
			const length = trimmed(only);
			if (length > 0 && length <= PLACEHOLDER_BYTES) isPlain = false;
		}
	}

	function bound(node: number): void {
		if (kindOf(node) === NULL) word(WORD.null);
		else if (isInteger(node)) out.copy(bytes, start(node), end(node));
		else isPlain = false;
	}

	function choices(node: number): void {
		if (kindOf(node) !== ARRAY) return;
		let isFirst = true;
		each(node, (item) => {
			if (kindOf(item) !== OBJECT) return;
			choice.read(scanner, item);
			const name = choice.node(choice.at.localName);
			if (name >= 0 && isWord(name, WORD.default_value)) return;
			if (!isFirst) word(WORD.comma);
			isFirst = false;
			word(WORD.value);
			text(choice.node(choice.at.value));
			word(WORD.local_name);
			text(name);
			word(WORD.label);
			label(choice.node(choice.at.label));
			const comment = choice.node(choice.at.comment);
			if (comment >= 0) {
				const before = out.length();
				word(WORD.description);
				const mark = out.length();
				remark(comment);
				// An empty one is left out.
				if (out.length() - mark === 2) out.cut(before);
			}
			word(WORD.close);
		});
	}

	function validators(node: number): void {
		if (kindOf(node) !== ARRAY) return;
		let isFirst = true;
		each(node, (item) => {
			if (kindOf(item) !== OBJECT) return;
			validator.read(scanner, item);
			const rules = validator.node(validator.at.regexs);
			if (validator.node(validator.at.regex) >= 0 && kindOf(rules) !== ARRAY) isPlain = false;
			if (!isFirst) word(WORD.comma);
			isFirst = false;
			word(WORD.min);
			bound(validator.node(validator.at.min));
			word(WORD.max);
			bound(validator.node(validator.at.max));
			word(WORD.regexs);
			if (kindOf(rules) === ARRAY) regexs(rules);
			word(WORD.regexs_end);
		});
	}

	function regexs(node: number): void {
		let isFirst = true;
		each(node, (item) => {
			if (kindOf(item) !== OBJECT) return;
			rule.read(scanner, item);
			const type = rule.node(rule.at.type);
			if (!isFirst) word(WORD.comma);
			isFirst = false;
			word(WORD.regex);
			text(rule.node(rule.at.regex));
			word(WORD.type);
			if (type < 0 || (isText(type) && isEmpty(type))) word(WORD.include);
			else text(type);
			word(WORD.close);
		});
	}

	/** Whether a validator asks for at least one of something. */
	function asksForSome(node: number): boolean {
		let found = false;
		if (kindOf(node) === ARRAY) {
			each(node, (item) => {
				if (kindOf(item) !== OBJECT) return;
				validator.read(scanner, item);
				const min = validator.node(validator.at.min);
				if (kindOf(min) !== NUMBER) return;
				const first = bytes[start(min)];
				if (first !== MINUS && first !== ZERO) found = true;
			});
		}
		return found;
	}

	function type(uitype: number, base: number): Buffer {
		const isGiven = uitype >= 0 && !isWord(uitype, WORD.auto) && !(isText(uitype) && isEmpty(uitype));
		if (isGiven) return bytes.subarray(start(uitype), end(uitype));
		const name = base < 0 ? "" : bytes.toString("latin1", start(base) + 1, end(base) - 1);
		const known = types.get(name) ?? Buffer.from(JSON.stringify(typeOf("", name)));
		types.set(name, known);
		return known;
	}

	function texts(node: number): void {
		if (kindOf(node) !== ARRAY) return;
		let isFirst = true;
		each(node, (item) => {
			if (!isText(item)) isPlain = false;
			if (!isFirst) word(WORD.comma);
			isFirst = false;
			string(item);
		});
	}

	function unknown(key: number, name: string): void {
		const value = key + SLOTS;
		const kind = kindOf(value);
		const isSilent = kind === FALSE || kind === NULL || nodes[value + 3] === value + SLOTS;
		if (nodes[key] !== STRING) isPlain = false;
		else if (kind === TRUE) {
			other ??= {};
			other[name] = true;
		} else if (!isSilent || kind === NUMBER || (kind === STRING && !isEmpty(value)) || other !== null) isPlain = false;
	}

	function write(key: number): boolean {
		({ bytes } = scanner);
		({ nodes } = scanner.tape);
		isPlain = nodes[key] === STRING && kindOf(key + SLOTS) === OBJECT;
		if (!isPlain) return false;
		other = null;
		members.read(scanner, key + SLOTS, unknown);
		const { at, node } = members;
		const [base, initial] = [node(at.baseType), node(at.default)];
		for (const text of [node(at.uitype), base]) if (text >= 0 && nodes[text] !== STRING) return false;
		const kind = type(node(at.uitype), base);
		const naming = isTrue(node(at.isNaming));
		const configurable = isTrue(node(at.isConfigurable));
		const isNeeded =
			configurable && kind.equals(WORD.string) && kindOf(initial) === NULL && asksForSome(node(at.validators));
		word(WORD.name);
		out.copy(bytes, start(key), end(key));
		word(WORD.label);
		label(node(at.label));
		flag(WORD.required, isTrue(node(at.mandatory)) || naming || isNeeded);
		flag(WORD.naming, naming);
		flag(WORD.configurable, configurable);
		word(WORD.type);
		word(kind);
		word(WORD.description);
		remark(node(at.comment));
		word(WORD.default);
		if (kindOf(initial) === NULL) word(WORD.null);
		else text(initial);
		word(WORD.valid_values);
		choices(node(at.validValues));
		word(WORD.validators);
		validators(node(at.validators));
		flag(WORD.read_only, isTrue(node(at.readOnly)));
		flag(WORD.create_only, isTrue(node(at.createOnly)));
		flag(WORD.secure, isTrue(node(at.secure)));
		flag(WORD.deprecated, isTrue(node(at.isDeprecated)));
		flag(WORD.hidden, isTrue(node(at.isHidden)));
		word(WORD.base_type);
		text(base);
		word(WORD.model_type);
		text(node(at.modelType));
		word(WORD.versions);
		text(node(at.versions));
		word(WORD.like);
		if (isText(node(at.likeProp))) string(node(at.likeProp));
		else word(WORD.null);
		word(WORD.platforms);
		texts(node(at.platformFlavors));
		word(WORD.end);
		if (other !== null) {
			word(WORD.other);
			out.text(JSON.stringify(other));
		}
		word(WORD.line);
		return isPlain;
	}

	/** The text of the property whose line was written last. */
	function textOf(key: number): PropertyText {
		const id = members.node(members.at.propGlobalId);
		const last = end(key + SLOTS);
		const isNumber = id >= 0 && isText(id) && !isEmpty(id) && isDigits(start(id) + 1, end(id) - 1);
		const [number, numberEnd] = isNumber ? [start(id) + 1, end(id) - 1] : [last, last];
		return { bytes, start: start(key), number, numberEnd, end: last };
	}
	function isDigits(from: number, to: number): boolean {
		for (let at = from; at < to; at++) if ((bytes[at] as number) < ZERO || (bytes[at] as number) > NINE) return false;
		return true;
	}

	return {
		/**
		 * Writes the line of the property at a key. Returns false if the property is not plain; the
		 * caller then discards the bytes written so far.
		 */
		write,
		text: textOf,
	};
}
