/** What a check expects, in sentences. Pure. */
import type { Check, CheckBaseline, CheckConfig, CheckRule } from "@weft/contracts";

type CountOperator = CheckConfig<"row_count">["operator"];
type Condition = CheckConfig<"each_row">["conditions"][number];

export const COUNT_WORDS: Readonly<Record<CountOperator, string>> = {
	eq: "exactly",
	ne: "anything but",
	gt: "more than",
	lt: "fewer than",
	ge: "at least",
	le: "at most",
};
export const CONDITION_WORDS: Readonly<Record<Condition["operator"], string>> = {
	eq: "is",
	ne: "is not",
	gt: "is greater than",
	lt: "is less than",
	ge: "is at least",
	le: "is at most",
	in: "is one of",
	contains: "contains",
	starts: "starts with",
	ends: "ends with",
	regex: "matches",
	exists: "has a value",
	missing: "has no value",
};
export const TREND_WORDS: Readonly<Record<CountOperator, string>> = {
	eq: "exactly",
	ne: "anything but",
	gt: "greater than",
	lt: "less than",
	ge: "at least",
	le: "at most",
};
export const TREND_VALUES: Readonly<Record<CheckConfig<"trend">["value"], string>> = {
	count: "Count",
	sum: "Sum",
	avg: "Average",
	min: "Smallest value",
	max: "Largest value",
	distinct: "Distinct values",
};
/** Operators that compare with nothing. */
export const isValueless = (operator: Condition["operator"]): boolean =>
	operator === "exists" || operator === "missing";

const formatWordList = (words: readonly string[]): string =>
	new Intl.ListFormat("en", { type: "conjunction" }).format(words);

/** One sentence each: the rule, then what limits it. */
export function getDefinition({ type, config, for_runs }: Pick<Check, "type" | "config" | "for_runs">): string[] {
	const rule = { type, config } as unknown as CheckRule;
	const runs = for_runs > 1 ? [`Alerts after ${for_runs} failed runs in a row.`] : [];
	return [...describeRule(rule), ...runs];
}

function describeRule({ type, config }: CheckRule): string[] {
	switch (type) {
		case "no_rows":
			return ["Fails when the query returns any row."];
		case "row_count": {
			const { operator, value, group_by = [] } = config;
			const count = `${COUNT_WORDS[operator] ?? operator} ${value} ${value === 1 ? "row" : "rows"}`;
			return [
				group_by.length === 0
					? `Fails unless the query returns ${count}.`
					: `Fails unless each group of equal ${formatWordList(group_by)} has ${count}.`,
			];
		}
		case "each_row": {
			const { conditions, match } = config;
			const [only, second] = conditions;
			if (only !== undefined && second === undefined) return [`Fails unless in every row ${formatCondition(only)}.`];
			const which = match === "any" ? "at least one of these conditions" : "all of these conditions";
			return [
				`Fails unless every row meets ${which}:`,
				...conditions.map((condition) => `${formatCondition(condition)}.`),
			];
		}
		case "unchanged":
			return [`Fails when anything changed since ${describeBaseline(config.baseline)}, by the query's drift rules.`];
		case "unique":
			return [`Fails when two rows have the same ${formatWordList(config.fields)}, in any of the fabrics.`];
		case "same_everywhere": {
			const { key = ["name"], fields = [], ignore = [] } = config;
			return [
				`Fails when rows with the same ${formatWordList(key)} differ between fabrics, or are missing in one.`,
				...(fields.length > 0 ? [`Compared: ${formatWordList(fields)}.`] : []),
				...(ignore.length > 0 ? [`Not compared: ${formatWordList(ignore)}.`] : []),
			];
		}
		case "trend": {
			const { value, field, group_by, operator, threshold, within_days } = config;
			const number =
				value === "count" && field === undefined
					? "number of rows"
					: `${TREND_VALUES[value].toLowerCase()} of ${field}`;
			const groups = group_by === undefined ? "" : ` of each ${group_by}`;
			return [
				`The ${number}${groups} is ${TREND_WORDS[operator] ?? operator} ${threshold}.`,
				...(within_days === undefined
					? []
					: [`So is its line through the last 14 days in ${within_days} ${within_days === 1 ? "day" : "days"}.`]),
			];
		}
		default:
			// A type of a newer service.
			return [`${String(type)}: ${JSON.stringify(config)}`];
	}
}

function describeBaseline(baseline: CheckBaseline | undefined): string {
	switch (baseline?.kind) {
		case "snapshot":
			return "a chosen snapshot";
		case "label":
			return `the newest snapshot with the label "${baseline.label}"`;
		case "hours":
			return `the snapshot of ${baseline.hours} hours ago`;
		default:
			return "the last snapshot";
	}
}

function formatCondition({ field, operator = "eq", value, caseSensitive = true }: Condition): string {
	const words = `${field} ${CONDITION_WORDS[operator] ?? operator}`;
	if (isValueless(operator)) return words;
	const shown = Array.isArray(value) ? value.join(", ") : String(value ?? "");
	return `${words} ${shown === "" ? "empty" : shown}${caseSensitive ? "" : ", in any case"}`;
}
