/** Configurations of checks as the editor holds them. Pure. */
import type { CheckConfig, CheckType } from "@weft/contracts";

export type Config = Readonly<Record<string, unknown>>;
export type Condition = CheckConfig<"each_row">["conditions"][number];

const NEW_CONDITION: Condition = { field: "", operator: "eq", value: "", caseSensitive: true };

/** What a new check of each type starts with. */
export const STARTS: Readonly<Record<CheckType, Config>> = {
	no_rows: {},
	row_count: { operator: "ge", value: 1, group_by: [] },
	each_row: { conditions: [NEW_CONDITION], match: "all" },
	unique: { fields: ["name"] },
	same_everywhere: { key: ["name"], fields: [], ignore: [] },
	unchanged: { baseline: { kind: "previous" } },
	trend: { value: "count", operator: "lt", threshold: 100 },
};

export const createCondition = (): Condition => ({ ...NEW_CONDITION });

/** A condition with another operator, and a value as the operator takes it. */
export function withOperator(condition: Condition, operator: Condition["operator"]): Condition {
	const { value: before, ...rest } = condition;
	if (operator === "exists" || operator === "missing") return { ...rest, operator };
	const texts = Array.isArray(before) ? before.map(String) : [String(before ?? "")];
	return { ...rest, operator, value: operator === "in" ? texts : texts.join(", ") };
}

/** The text that stands for a value in a field. */
export const readValueText = ({ value }: Condition): string =>
	Array.isArray(value) ? value.join(", ") : String(value ?? "");

/** A condition with the value that a text stands for: after `in` a list with commas. */
export const withValueText = (condition: Condition, text: string): Condition => ({
	...condition,
	value: condition.operator === "in" ? text.split(",").map((entry) => entry.trim()) : text,
});

export const formatTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Without fields that were left empty. */
export function removeEmptyEntries(type: CheckType, config: Config): Config {
	if (type === "each_row") return config;
	if (type === "trend")
		return Object.fromEntries(Object.entries(config).filter(([, value]) => String(value ?? "").trim() !== ""));
	return Object.fromEntries(
		Object.entries(config).map(([name, value]) => [
			name,
			Array.isArray(value) ? value.filter((entry) => String(entry).trim() !== "") : value,
		]),
	);
}
