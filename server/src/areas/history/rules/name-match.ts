/**
 * Names of objects without the numbers of nodes and pods, by which two fabrics are compared. The
 * name of an object is its dn, whose relative names hold its naming properties, with `*` for those
 * numbers: `topology/pod-1/node-101/sys` has the name of `topology/pod-2/node-201/sys`.
 */
import type { RnNaming } from "../../../core/ports/class-model.ts";
import { decodeByteString } from "./json-text.ts";
import { TEXT_ATTRIBUTES } from "./parts.ts";

/** Beginnings of relative names that end in numbers of nodes or pods, without a loaded model. */
const BUILT_IN = ["node-", "paths-", "pod-", "protpaths-"];
/** Naming properties that hold such numbers. */
const NUMBERS = /^(?:node|pod)\w*Id$/;
/** A beginning that the pattern of names can contain as it is. */
const PLAIN = /^[A-Za-z]\w*-\[?$/;
/** More are no names of nodes and pods, but a model that calls everything so. */
const MAX_BEGINNINGS = 200;

/** Attributes that hold the number of a node or pod, in every class. */
const NUMBER_KEYS: ReadonlySet<string> = new Set(["nodeId", "podId"]);
/** Classes whose `id` is such a number. */
const NUMBERED_CLASSES: ReadonlySet<string> = new Set(["fabricNode", "fabricPod", "infraWiNode", "topSystem"]);

/**
 * The beginnings of relative names whose naming properties are numbers of nodes or pods, sorted.
 * @param names of the loaded model; null without one
 */
export function compileNumberBeginnings(names: Iterable<RnNaming> | null): string[] {
	const found = new Set(BUILT_IN);
	for (const { rnFormat, naming } of names ?? []) {
		if (naming.length === 0 || !naming.every((property) => NUMBERS.test(property))) continue;
		const beginning = rnFormat.slice(0, rnFormat.indexOf("{"));
		if (PLAIN.test(beginning) && found.size < MAX_BEGINNINGS) found.add(beginning.replace("[", ""));
	}
	return [...found].sort();
}

export interface NameMatch {
	/** The name of a dn. Takes and returns byte strings. */
	getKey(dn: string): string;
	/**
	 * Whether an attribute says only where an object is: its dn, the number of a node or pod, or a
	 * reference that differs in nothing but such numbers. Values are JSON text, null if absent or
	 * unknown.
	 */
	isPlace(className: string, key: string, old: string | null, now: string | null): boolean;
	/** The value of an attribute with `*` for the numbers of nodes and pods in its dns. */
	withoutNumbers(key: string, value: string): string;
}

/** @param beginnings as `compileNumberBeginnings` returns them */
export function createNameMatch(beginnings: readonly string[]): NameMatch {
	const pattern = new RegExp(`(?<![^/["])(${beginnings.join("|")})(?:\\[\\d+\\]|\\d+(?:-\\d+)*)(?![^/\\]"])`, "g");
	const getKey = (dn: string): string => dn.replace(pattern, "$1*");
	const withoutNumbers = (key: string, value: string): string => (TEXT_ATTRIBUTES.has(key) ? value : getKey(value));
	return {
		getKey,
		withoutNumbers,
		isPlace(className, key, old, now) {
			if (key === "dn" || NUMBER_KEYS.has(key) || (key === "id" && NUMBERED_CLASSES.has(className))) return true;
			return old !== null && now !== null && withoutNumbers(key, old) === withoutNumbers(key, now);
		},
	};
}

/** The members of an entry that tell how its sides were matched: JSON with a comma before. */
export function matchMembers({ getKey }: NameMatch, from: string | null, to: string | null): string {
	const text = (dn: string | null): string => JSON.stringify(dn === null ? null : decodeByteString(dn));
	const key = getKey(to ?? from ?? "");
	return `,"key":${text(key)},"dn_from":${text(from)},"dn_to":${text(to)}`;
}
