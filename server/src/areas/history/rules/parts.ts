/**
 * The parts that a change adds to and removes from a value that is a list or a reference, decided
 * by the attribute's name and its two values:
 *
 * - a reference is an attribute `tn…Name`, `tRn`, or one whose name ends in `Dn`;
 * - a list is an attribute that controllers write as flags (`ctrl`, `scope`, `…Flags`), or any
 *   other one of which a side has a comma and both sides consist of words, numbers and ranges
 *   between commas. Free texts are neither.
 */

/** Attributes whose commas are text of people. */
export const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set(["annotation", "descr", "dn", "name", "nameAlias", "rn"]);

export interface Parts {
	kind: "list" | "reference";
	added: string[];
	removed: string[];
}

const REFERENCE = /^tn[A-Z]\w*Name$|^tRn$|Dn$/;
const FLAGS = /(?:^|[a-z])(?:[Ff]lags|[Cc]trl|[Ss]cope|Mask|Knob)$/;
/** Bitmasks of the class model that their names do not show. */
const BITMASKS = new Set(
	"aggregate afType arpLearning capability certUsage childAction collect configIssues deplInfo directives epMoveDetectMode extMngdBy lcC match matchProto sshCiphers sshMacs sslProtocols usage usedFor".split(
		" ",
	),
);
const FREE_TEXT = new Set(["annotation", "descr", "dn", "name", "nameAlias", "rn"]);
const WORDS = /^[\w.:/-]+(?:,[\w.:/-]+)*$/;

/** What an attribute's name shows. `open`: the values decide, one of which must have a comma. */
export type Naming = Parts["kind"] | "open" | "none";

export function getNaming(name: string): Naming {
	if (FREE_TEXT.has(name)) return "none";
	if (REFERENCE.test(name)) return "reference";
	return FLAGS.test(name) || BITMASKS.has(name) ? "list" : "open";
}

/** @param old JSON text of the value; null if it is absent */
export function getParts(naming: Naming, old: string | null, now: string | null): Parts | null {
	if (naming === "none" || (naming === "open" && !old?.includes(",") && !now?.includes(","))) return null;
	const [before, after] = [getText(old), getText(now)];
	if (before === null || after === null) return null;
	if (naming === "reference") return { kind: naming, added: wrapInList(after), removed: wrapInList(before) };
	if ((before !== "" && !WORDS.test(before)) || (after !== "" && !WORDS.test(after))) return null;
	// One word each, as most flags have: the words differ.
	if (!before.includes(",") && !after.includes(","))
		return { kind: "list", added: wrapInList(after), removed: wrapInList(before) };
	const [left, right] = [splitWords(before), splitWords(after)];
	return {
		kind: "list",
		added: [...right].filter((word) => !left.has(word)),
		removed: [...left].filter((word) => !right.has(word)),
	};
}

/** The `parts` member of a change as JSON text; empty if there are no parts. */
export function joinParts(naming: Naming, old: string | null, now: string | null): string {
	const parts = getParts(naming, old, now);
	return parts === null ? "" : `,"parts":${JSON.stringify(parts)}`;
}

/** The content of a string, `""` if it is absent; null if the value is not a string. */
function getText(json: string | null): string | null {
	if (json === null || json === "null") return "";
	if (!json.startsWith('"')) return null;
	return json.includes("\\") ? (JSON.parse(json) as string) : json.slice(1, -1);
}

function wrapInList(text: string): string[] {
	return text === "" ? [] : [text];
}

function splitWords(text: string): Set<string> {
	return new Set(text === "" ? [] : text.split(","));
}
