/** A change of an object with its values as text, cut to a bounded size. */
import { CHANGE_LIMITS, type DriftRules, type FindingSeverity } from "@weft/contracts";
import { clipText } from "../../../core/text.ts";
import { KIND_NAMES, MODIFIED } from "./compare.ts";
import { createSeverity, pickHighestSeverity } from "./drift.ts";
import type { Described } from "./entry-writer.ts";
import { createDriftIgnore } from "./ignore.ts";
import { decodeByteString, toByteString } from "./json-text.ts";

/** Name, value before and after; null where the attribute is absent. */
type ChangedAttribute = [name: string, before: string | null, after: string | null];

export interface ValuedChange {
	readonly dn: string;
	readonly className: string | null;
	readonly kind: "added" | "deleted" | "modified";
	readonly severity: FindingSeverity;
	/** Sorted by name; at most `CHANGE_LIMITS.attributes`. */
	readonly attributes: ChangedAttribute[];
	/** Attributes beyond these. */
	readonly omitted: number;
}

/** Returns a function that turns changes into values, by the rules of their query. */
export function createChangeReader(rules: DriftRules): (described: Described) => ValuedChange {
	const ignore = createDriftIgnore(rules);
	const getSeverity = createSeverity(rules);
	return ({ kind, dn, className, changes }) => {
		const name = toByteString(className ?? "");
		// Ignored attributes of modified objects are left out already.
		const counted =
			kind === MODIFIED ? changes : changes.filter(({ key, old, new: now }) => ignore?.(name, key, old, now) !== true);
		const attributes = counted.map(
			({ key, old, new: now }): ChangedAttribute => [decodeByteString(key), formatValue(old), formatValue(now)],
		);
		const severities =
			kind === MODIFIED && attributes.length > 0
				? attributes.map(([attribute]) => getSeverity(className ?? "", attribute))
				: [getSeverity(className ?? "", null)];
		return {
			dn,
			className,
			kind: KIND_NAMES[kind],
			severity: severities.reduce(pickHighestSeverity),
			attributes: attributes.slice(0, CHANGE_LIMITS.attributes),
			omitted: Math.max(0, attributes.length - CHANGE_LIMITS.attributes),
		};
	};
}

/** The text of a JSON string, the JSON of other values; cut where it is too long. */
export function formatValue(json: string | null): string | null {
	if (json === null || json === "null") return null;
	const text = json.startsWith('"') ? (JSON.parse(json) as string) : json;
	// The store accepts neither NUL nor half of a surrogate pair.
	const storable = text.replaceAll("\0", "\uFFFD").toWellFormed();
	return clipText(storable, CHANGE_LIMITS.value);
}
