/** The changes between two snapshots that a query's drift rules leave, and how severe they are. */
import { type Drift, type DriftRules, FINDING_SEVERITIES, type FindingSeverity } from "@weft/contracts";
import { createUtf8Writer } from "../../../core/utf8-writer.ts";
import { getKind, KIND_NAMES, MODIFIED, PLACE } from "./compare.ts";
import { createEntryWriter, type Described } from "./entry-writer.ts";
import { createDriftIgnore, createExclude } from "./ignore.ts";
import { decodeByteString } from "./json-text.ts";
import type { PackTexts } from "./row-reader.ts";

/** One change, as alerts and checks show it. */
interface DriftExample {
	readonly change: "added" | "deleted" | "modified";
	readonly class_name: string | null;
	readonly dn: string;
	/** Names of the attributes that differ; empty for an added or deleted object. */
	readonly attributes: string[];
}

export interface DriftFound {
	readonly drift: Drift;
	readonly examples: DriftExample[];
}

/** As many as a check stores as evidence. */
const EXAMPLES = 200;

export const NO_DRIFT: DriftFound = {
	drift: { added: 0, deleted: 0, modified: 0, ignored: 0, severity: null },
	examples: [],
};

/** Counts changes, which are given page by page with the texts of their rows. */
export function createDriftCounter(rules: DriftRules) {
	const ignore = createDriftIgnore(rules);
	const exclude = createExclude(rules);
	const getSeverity = createSeverity(rules);
	/** Without these, a change counts the same whatever it is. */
	const needsDetail = exclude !== null || Object.keys(rules.severity).length > 0;
	const counts = { added: 0, deleted: 0, modified: 0, ignored: 0 };
	const examples: DriftExample[] = [];
	let severity: FindingSeverity | null = null;

	const raise = (found: FindingSeverity): void => {
		severity = pickHighestSeverity(severity, found);
	};

	function isExcluded({ className, dn }: Described): boolean {
		return exclude?.(className ?? "", dn) === true;
	}

	function countChange({ kind, className, dn, changes }: Described): void {
		const change = KIND_NAMES[kind];
		counts[change]++;
		const keys = change === "modified" ? changes.map(({ key }) => decodeByteString(key)) : [];
		if (examples.length < EXAMPLES) examples.push({ change, class_name: className, dn, attributes: keys });
		if (keys.length === 0) raise(getSeverity(className ?? "", null));
		for (const key of keys) raise(getSeverity(className ?? "", key));
	}

	return {
		add(places: Int32Array, texts: PackTexts): void {
			const writer = createEntryWriter(texts.from, texts.to, ignore);
			const out = createUtf8Writer();
			for (let at = 0; at < places.length; at += 2 * PLACE) {
				if (needsDetail || examples.length < EXAMPLES) {
					const described = writer.describe(places, at);
					if (described === null || isExcluded(described)) counts.ignored++;
					else countChange(described);
					continue;
				}
				const kind = getKind(places, at / (2 * PLACE));
				if (kind !== MODIFIED || writer.write(out, places, at)) counts[KIND_NAMES[kind]]++;
				else counts.ignored++;
				out.cut(0);
			}
		},

		/** Rows without a dn that only one side has. Rules say nothing of them. */
		addLoose(rows: { added: number; deleted: number; modified: number }): void {
			if (rows.added + rows.deleted + rows.modified === 0) return;
			for (const kind of ["added", "deleted", "modified"] as const) counts[kind] += rows[kind];
			raise("warning");
		},

		found: (): DriftFound => ({ drift: { ...counts, severity }, examples }),
	};
}

/** The higher one of two severities. */
export function pickHighestSeverity(one: FindingSeverity | null, other: FindingSeverity): FindingSeverity {
	return one !== null && FINDING_SEVERITIES.indexOf(one) > FINDING_SEVERITIES.indexOf(other) ? one : other;
}

/** Severity of the change of an attribute, or of an object that comes or goes (`key` null). */
export function createSeverity({ severity: rules }: Pick<DriftRules, "severity">) {
	const known = new Map(Object.entries(rules));
	return (className: string, key: string | null): FindingSeverity => {
		const ofClass = known.get(className);
		if (key === null) return ofClass ?? "warning";
		const own = known.get(`${className}.${key}`);
		if (own !== undefined) return own;
		const ofKey = known.get(key);
		return ofClass !== undefined && ofKey !== undefined
			? pickHighestSeverity(ofClass, ofKey)
			: (ofClass ?? ofKey ?? "warning");
	};
}

/** What differs between the rows without a dn of two sides, given by the hashes of their texts. */
export function countLoose(before: readonly string[], after: readonly string[], differ: boolean) {
	const left = new Map<string, number>();
	for (const hash of before) left.set(hash, (left.get(hash) ?? 0) + 1);
	let added = 0;
	for (const hash of after) {
		const count = left.get(hash) ?? 0;
		if (count === 0) added++;
		else left.set(hash, count - 1);
	}
	const deleted = [...left.values()].reduce((sum, count) => sum + count, 0);
	// Of rows without a dn that hold objects, only the hash of all of them shows a change.
	return { added, deleted, modified: differ && added + deleted === 0 ? 1 : 0 };
}
