/**
 * Evaluates rules over rows that come in pages. All rules of a query share one reading. Only one
 * page, the evidence, and for rules about keys a digest per key are in memory.
 */
import type { CheckConfig, CheckRule, CheckSampleRow } from "@weft/contracts";
import { buildConditionsTest, type FieldKind } from "../../../core/rows/conditions.ts";
import { assertKeys, type Evaluator, getKey, listShownTexts } from "./keys.ts";
import { assignFieldNumber, createRowReader, type Fields, type Page } from "./row-reader.ts";
import type { RowView } from "./row-view.ts";
import { compareEverywhere } from "./same-everywhere.ts";
import { createSample } from "./sample.ts";
import { createTrendEvaluator, NO_PAST, type TrendPast } from "./trend.ts";

/** The rows of one run. */
export interface Source {
	/** The connection's name. */
	readonly connection: string;
	/** All rows in pages. Called again for rules that need a second pass. */
	pages(): Iterable<Page>;
}

/** How the model orders the values of fields; absent fields are unknown to it. */
export type FieldKinds = Readonly<Record<string, FieldKind>>;

/** A rule about rows; the other type compares snapshots. */
export type RowRule = Exclude<CheckRule, { readonly type: "unchanged" }>;

export interface RuleToEvaluate {
	readonly rule: RowRule;
	readonly kinds: FieldKinds;
	/** Earlier numbers; of a trend only. */
	readonly past?: TrendPast;
	/** Rows of the sample; `CHECK_LIMITS.sampleRows` where absent. */
	readonly sampleRows?: number;
}

export type Outcome =
	| { readonly kind: "evaluated"; readonly violations: number; readonly sample: readonly CheckSampleRow[] }
	/** The message is for the check's owner. */
	| { readonly kind: "refused"; readonly error: string };

/** Of a comparison with a baseline: nothing is wrong where there is none yet. */
export type ComparedOutcome = Outcome | { readonly kind: "undecided"; readonly reason: string };

/** The outcomes in the order of the rules. */
export function evaluateRules(rules: readonly RuleToEvaluate[], sources: readonly Source[]): Outcome[] {
	const connections = sources.map(({ connection }) => connection);
	const outcomes: (Outcome | undefined)[] = [];
	const fields: Fields = { names: [] };
	let active: { readonly at: number; readonly evaluator: Evaluator }[] = [];
	/** A rule that fails leaves the others alone. */
	function refuseRule(at: number, error: unknown): void {
		if (!(error instanceof Error)) throw error;
		if (error.name !== "EvaluationError" && error.name !== "PatternError") throw error;
		outcomes[at] = { kind: "refused", error: error.message };
		active = active.filter((one) => one.at !== at);
	}
	for (const [at, one] of rules.entries()) {
		try {
			active.push({ at, evaluator: createEvaluator(one, connections, fields) });
		} catch (error) {
			refuseRule(at, error);
		}
	}
	const readRows = createRowReader(fields);
	while (active.length > 0) {
		for (const [source, { pages }] of sources.entries()) {
			for (const page of pages()) {
				readRows(page, (row) => {
					for (const { at, evaluator } of active) {
						try {
							evaluator.take(row, source);
						} catch (error) {
							refuseRule(at, error);
						}
					}
				});
			}
		}
		active = active.filter(({ at, evaluator }) => {
			if (evaluator.endPass()) return true;
			try {
				outcomes[at] = { kind: "evaluated", ...evaluator.result() };
			} catch (error) {
				refuseRule(at, error);
			}
			return false;
		});
	}
	return outcomes.map((outcome) => outcome ?? { kind: "refused", error: "The check was not evaluated." });
}

function createEvaluator(
	{ rule, kinds, past = NO_PAST, sampleRows }: RuleToEvaluate,
	connections: readonly string[],
	fields: Fields,
): Evaluator {
	const getConnection = (source: number): string | null => connections[source] ?? null;
	switch (rule.type) {
		case "no_rows":
			return iterateRows(() => false, getConnection, sampleRows);
		case "each_row":
			return iterateRows(
				buildConditionsTest(rule.config, formatTexts(fields), (field) => kinds[field] ?? "unknown"),
				getConnection,
				sampleRows,
			);
		case "row_count":
			return countRows(rule.config, connections, fields, sampleRows);
		case "unique":
			return createUniqueEvaluator(rule.config, getConnection, fields, sampleRows);
		case "same_everywhere":
			return compareEverywhere(rule.config, connections, fields);
		case "trend":
			return createTrendEvaluator(rule.config, past, connections[0] ?? null, fields);
	}
}

function formatTexts(fields: Fields): (name: string) => (row: RowView) => readonly string[] {
	return (name) => {
		const field = assignFieldNumber(fields, name);
		return (row) => row.texts(field);
	};
}

type ConnectionOf = (source: number) => string | null;

function iterateRows(
	holds: (row: RowView) => boolean,
	getConnection: ConnectionOf,
	sampleRows: number | undefined,
): Evaluator {
	const sample = createSample(sampleRows);
	let violations = 0;
	return {
		take(row, source) {
			if (holds(row)) return;
			violations += 1;
			if (!sample.isFull()) sample.add(getConnection(source), row.row());
		},
		endPass: () => false,
		result: () => ({ violations, sample: sample.rows }),
	};
}

const COUNT_TESTS: Readonly<Record<CheckConfig<"row_count">["operator"], (count: number, value: number) => boolean>> = {
	eq: (count, value) => count === value,
	ne: (count, value) => count !== value,
	gt: (count, value) => count > value,
	lt: (count, value) => count < value,
	ge: (count, value) => count >= value,
	le: (count, value) => count <= value,
};

/** Each group is a violation; without `group_by` all rows are one group, which may be empty. */
function countRows(
	{ operator, value, group_by }: CheckConfig<"row_count">,
	connections: readonly string[],
	fields: Fields,
	sampleRows: number | undefined,
): Evaluator {
	const connection = connections.length === 1 ? (connections[0] ?? null) : null;
	const readers = group_by.map(formatTexts(fields));
	const groups = new Map<string, { count: number; readonly texts: readonly (readonly string[])[] }>();
	const all = group_by.length === 0 ? { count: 0, texts: [] } : undefined;
	if (all !== undefined) groups.set("", all);
	return {
		take(row) {
			if (all !== undefined) {
				all.count += 1;
				return;
			}
			const texts = readers.map((read) => read(row));
			const key = getKey(texts);
			const group = groups.get(key);
			if (group !== undefined) {
				group.count += 1;
				return;
			}
			groups.set(key, { count: 1, texts });
			assertKeys(groups.size);
		},
		endPass: () => false,
		result() {
			const sample = createSample(sampleRows);
			let violations = 0;
			for (const { count, texts } of groups.values()) {
				if (COUNT_TESTS[operator](count, value)) continue;
				violations += 1;
				const fields = group_by.map((field, i) => [field, listShownTexts(texts[i] ?? [])]);
				sample.add(connection, { ...Object.fromEntries(fields), count });
			}
			return { violations, sample: sample.rows };
		},
	};
}

/** The second pass collects the rows, which only the first one can find. */
function createUniqueEvaluator(
	{ fields: own }: CheckConfig<"unique">,
	getConnection: ConnectionOf,
	fields: Fields,
	sampleRows: number | undefined,
): Evaluator {
	const readers = own.map(formatTexts(fields));
	const counts = new Map<string, number>();
	const sample = createSample(sampleRows);
	let violations = 0;
	let pass = 1;
	/** Null for a row without a value in one of the fields. */
	function keyOfRow(row: RowView): string | null {
		const texts = readers.map((read) => read(row).filter((text) => text !== ""));
		return texts.some((values) => values.length === 0) ? null : getKey(texts);
	}
	return {
		take(row, source) {
			if (pass === 2 && sample.isFull()) return;
			const key = keyOfRow(row);
			if (key === null) return;
			if (pass === 2) {
				if ((counts.get(key) ?? 0) > 1) sample.add(getConnection(source), row.row());
				return;
			}
			const before = counts.get(key) ?? 0;
			counts.set(key, before + 1);
			if (before === 0) assertKeys(counts.size);
			// The second row of a key makes the first one a violation, too.
			else violations += before === 1 ? 2 : 1;
		},
		endPass() {
			pass += 1;
			return pass === 2 && violations > 0;
		},
		result: () => ({ violations, sample: sample.rows }),
	};
}
