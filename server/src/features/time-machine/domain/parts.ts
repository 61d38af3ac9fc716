/**
 * What came to a value and what went, where a value is a set of words or a reference. Nothing but the attribute's name and its two values tells:
 *
 * - a reference is an attribute `tn…Name`, `tRn`, or one whose name ends in `Dn`;
 * - a list is an attribute that controllers are known to write as flags (`ctrl`, `scope`, `…Flags`), or any other one of which a side has a comma and both
 *   sides are nothing but words, numbers and ranges between commas. Texts that people write are neither.
 */

export interface Parts {
	kind: "list" | "reference";
	added: string[];
	removed: string[];
}

const REFERENCE = /^tn[A-Z]\w*Name$|^tRn$|Dn$/;
const FLAGS = /(?:^|[a-z])(?:[Ff]lags|[Cc]trl|[Ss]cope|Mask|Knob)$/;
/** Bitmasks of the class model whose names do not tell. */
const BITMASKS = new Set(
	"aggregate afType arpLearning capability certUsage childAction collect configIssues deplInfo directives epMoveDetectMode extMngdBy lcC match matchProto sshCiphers sshMacs sslProtocols usage usedFor".split(
		" ",
	),
);
const FREE_TEXT = new Set(["annotation", "descr", "dn", "name", "nameAlias", "rn"]);
const WORDS = /^[\w.:/-]+(?:,[\w.:/-]+)*$/;

/** What an attribute's name tells of its parts. `open`: its values must have a comma. */
export type Naming = Parts["kind"] | "open" | "none";

export function namingOf(name: string): Naming {
	if (FREE_TEXT.has(name)) return "none";
	if (REFERENCE.test(name)) return "reference";
	return FLAGS.test(name) || BITMASKS.has(name) ? "list" : "open";
}

/** @param old JSON text of the value, null where it is absent */
export function partsOf(naming: Naming, old: string | null, now: string | null): Parts | null {
	if (naming === "none" || (naming === "open" && !old?.includes(",") && !now?.includes(","))) return null;
	const [before, after] = [textOf(old), textOf(now)];
	if (before === null || after === null) return null;
	if (naming === "reference") return { kind: naming, added: whole(after), removed: whole(before) };
	if ((before !== "" && !WORDS.test(before)) || (after !== "" && !WORDS.test(after))) return null;
	// A word each, as most flags have: what changed is not the same word.
	if (!before.includes(",") && !after.includes(","))
		return { kind: "list", added: whole(after), removed: whole(before) };
	const [left, right] = [words(before), words(after)];
	return {
		kind: "list",
		added: [...right].filter((word) => !left.has(word)),
		removed: [...left].filter((word) => !right.has(word)),
	};
}

/** The member of a change that tells of its parts, as JSON text; empty where there are none. */
export function partsText(naming: Naming, old: string | null, now: string | null): string {
	const parts = partsOf(naming, old, now);
	return parts === null ? "" : `,"parts":${JSON.stringify(parts)}`;
}

/** What a string says, `""` where it is absent; null where it is no string. */
function textOf(json: string | null): string | null {
	if (json === null || json === "null") return "";
	if (!json.startsWith('"')) return null;
	return json.includes("\\") ? (JSON.parse(json) as string) : json.slice(1, -1);
}

function whole(text: string): string[] {
	return text === "" ? [] : [text];
}

function words(text: string): Set<string> {
	return new Set(text === "" ? [] : text.split(","));
}
