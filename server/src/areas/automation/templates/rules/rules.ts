/**
 * What rows of a template must be like, as plain data: columns with all that they refer to put in.
 */
import type {
	ColumnType,
	InputRow,
	TemplateColumn,
	TemplateSheet,
	ValidationResult,
	ValuesFrom,
} from "@weft/contracts";

export interface CellRule {
	readonly name: string;
	readonly type: ColumnType;
	readonly required: boolean;
	/** Null where the type has none. */
	readonly choices: readonly string[] | null;
	readonly fallback: unknown;
	readonly min: number | null;
	readonly max: number | null;
	readonly minLength: number | null;
	readonly maxLength: number | null;
	readonly patterns: readonly { readonly source: string; readonly flags: string; readonly name: string | null }[];
	readonly list: {
		readonly values: readonly string[];
		readonly caseSensitive: boolean;
		readonly message: string;
	} | null;
	readonly unique: boolean;
	readonly send: boolean;
	/** Said instead of the built-in words; empty: those are said. */
	readonly message: string;
	readonly allowJinja: boolean;
}

export interface SheetRule {
	/** Null where there is one sheet only. */
	readonly name: string | null;
	/** The job's variable. */
	readonly variable: string;
	readonly minRows: number;
	readonly maxRows: number | null;
	readonly columns: readonly CellRule[];
}

/** What columns refer to, by id. */
export interface References {
	readonly lists: ReadonlyMap<
		string,
		{ readonly values: readonly string[]; readonly case_sensitive: boolean; readonly error_message: string }
	>;
	readonly patterns: ReadonlyMap<string, { readonly pattern: string; readonly flags: string; readonly name: string }>;
	readonly columns: ReadonlyMap<string, TemplateColumn>;
}

/** The variable of the one-sheet form. */
export const ROWS_VARIABLE = "rows";

export interface TemplateForm {
	readonly schema: readonly TemplateColumn[];
	readonly sheets: readonly TemplateSheet[];
}

/** The sheets of a template: those it names, or the one of its schema. */
export function listSheets({ schema, sheets }: TemplateForm) {
	if (sheets.length > 0) return sheets.map((sheet) => ({ ...sheet, name: sheet.name as string | null }));
	return [{ name: null, variable: ROWS_VARIABLE, min_rows: null, max_rows: null, columns: schema }];
}

export function compileRules(form: TemplateForm, references: References): SheetRule[] {
	return listSheets(form).map((sheet) => ({
		name: sheet.name,
		variable: sheet.variable,
		minRows: sheet.min_rows ?? 0,
		maxRows: sheet.max_rows ?? null,
		columns: sheet.columns.map((column) => buildCellRule(column, references)),
	}));
}

/** A column whose allowed values a saved query gives. */
export interface ValueSource {
	/** Of its sheet, in the order of the rules. */
	readonly sheet: number;
	readonly column: string;
	readonly from: ValuesFrom;
}

export const listValueSources = (form: TemplateForm, { columns }: Pick<References, "columns">): ValueSource[] =>
	listSheets(form).flatMap((sheet, index) =>
		sheet.columns.flatMap((own) => {
			const { values_from: from } = mergeColumn(
				own,
				own.column_template ? columns.get(own.column_template) : undefined,
			);
			return from ? [{ sheet: index, column: own.name, from }] : [];
		}),
	);

/**
 * The rules with the values that saved queries gave: choices of enumerations, a list for everything
 * else.
 */
export function withValues(
	rules: readonly SheetRule[],
	given: readonly { readonly source: ValueSource; readonly values: readonly string[] }[],
): SheetRule[] {
	return rules.map((sheet, index) => ({
		...sheet,
		columns: sheet.columns.map((rule) => {
			const found = given.find(({ source }) => source.sheet === index && source.column === rule.name);
			if (found === undefined) return rule;
			const { values } = found;
			return rule.choices === null
				? { ...rule, list: rule.list ?? { values, caseSensitive: true, message: "" } }
				: { ...rule, choices: values };
		}),
	}));
}

function buildCellRule(own: TemplateColumn, { lists, patterns, columns }: References): CellRule {
	const column = mergeColumn(own, own.column_template ? columns.get(own.column_template) : undefined);
	const list = column.validation_list ? lists.get(column.validation_list) : undefined;
	const shared = column.regex_pattern ? patterns.get(column.regex_pattern) : undefined;
	const { field_type: type } = column;
	return {
		name: own.name,
		type,
		required: column.required,
		choices: type === "enum" || type === "multi_enum" ? (column.choices ?? []) : null,
		fallback: column.default ?? null,
		min: column.min ?? null,
		max: column.max ?? null,
		minLength: column.min_length ?? null,
		maxLength: column.max_length ?? null,
		patterns: [
			...(shared ? [{ source: shared.pattern, flags: shared.flags, name: shared.name }] : []),
			...(column.pattern ? [{ source: column.pattern, flags: "", name: null }] : []),
		],
		list: list ? { values: list.values, caseSensitive: list.case_sensitive, message: list.error_message } : null,
		unique: column.unique,
		send: column.send,
		message: column.error_message ?? "",
		allowJinja: column.allow_jinja,
	};
}

/** What a column leaves open is taken from its template; a restriction of either counts. */
export function mergeColumn(own: TemplateColumn, base: TemplateColumn | undefined): TemplateColumn {
	if (base === undefined) return own;
	const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined && value !== null));
	return {
		...base,
		...given,
		required: own.required || base.required,
		unique: own.unique || base.unique,
		send: own.send && base.send,
		allow_jinja: own.allow_jinja || base.allow_jinja,
	} as TemplateColumn;
}

/** Rows that were checked against a template. */
export interface CheckedRows {
	readonly rules: readonly SheetRule[];
	readonly result: ValidationResult;
	/** By sheet, in the order of the rules. */
	readonly rows: readonly (readonly InputRow[])[];
}
