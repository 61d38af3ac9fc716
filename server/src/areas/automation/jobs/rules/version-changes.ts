/** The values that differ between two versions of a request, with masked passwords. Pure. */
import { type InputData, type InputRow, REQUEST_HISTORY_LIMITS, type RequestChange } from "@weft/contracts";
import { MASKED } from "../../../../core/mask.ts";
import { getRows, mapPasswordsByPlace, type Secret, type StoredSheet } from "./row-forms.ts";

/** A version as its history stores it, without its number. */
export interface VersionContent {
	readonly title: string;
	readonly description: string;
	readonly automation_connection_name: string;
	readonly target_controller_name: string;
	readonly automation_credential_name: string;
	readonly check_mode: boolean;
	/** ISO 8601; null: not scheduled. */
	readonly scheduled_for: string | null;
	readonly watch_query_id: string | null;
	/** Name and revision; absent in versions stored without it. */
	readonly change_plan?: string | null;
	readonly constants: Readonly<Record<string, unknown>>;
	readonly prompts: Readonly<Record<string, unknown>>;
	readonly input_data: InputData;
	readonly template_snapshot: Readonly<Record<string, unknown>>;
	readonly rows_digest: string | null;
}

/** A version with the layout of its rows and its passwords. */
export interface ComparedVersion {
	readonly content: VersionContent;
	readonly sheets: readonly StoredSheet[];
	readonly secrets: readonly Secret[];
}

const FIELDS = [
	"title",
	"description",
	"automation_connection_name",
	"target_controller_name",
	"automation_credential_name",
	"check_mode",
	"scheduled_for",
	"watch_query_id",
	"change_plan",
] as const;

/** Upper bound of a shown value, in characters; longer texts and JSON are cut. */
const VALUE_MAX = 500;

/** The first changes in the order of fields, constants, rows and columns; and the number of all. */
export function listChanges(
	before: ComparedVersion,
	after: ComparedVersion,
): { readonly changes: readonly RequestChange[]; readonly total: number } {
	const changes: RequestChange[] = [];
	let total = 0;
	const add = (path: string, old: unknown, now: unknown) => {
		total++;
		if (changes.length < REQUEST_HISTORY_LIMITS.changes)
			changes.push({ path, before: truncateValue(old), after: truncateValue(now) });
	};
	for (const name of FIELDS) {
		const [old, now] = [before.content[name] ?? null, after.content[name] ?? null];
		if (old !== now) add(name, old, now);
	}
	compareEntries(before.content.prompts, after.content.prompts, "", add);
	compareEntries(before.content.constants, after.content.constants, "constants.", add);
	const oldSecrets = mapPasswordsByPlace(before);
	const newSecrets = mapPasswordsByPlace(after);
	const oldRows = listNamedRows(before);
	const newRows = listNamedRows(after);
	for (const name of new Set([...oldRows.keys(), ...newRows.keys()])) {
		const [old, now] = [oldRows.get(name) ?? [], newRows.get(name) ?? []];
		const prefix = name === "" ? "input_data" : `input_data.${name}`;
		for (let index = 0; index < Math.max(old.length, now.length); index++) {
			const [oldRow, newRow] = [old[index], now[index]];
			const path = `${prefix}.${index}`;
			if (oldRow === undefined || newRow === undefined) add(path, oldRow ?? null, newRow ?? null);
			else {
				compareEntries(oldRow, newRow, `${path}.`, add, (column) => {
					const place = `${name}|${index}|${column}`;
					return oldSecrets.get(place) !== newSecrets.get(place);
				});
			}
		}
	}
	return { changes, total };
}

/** @param isSecretChanged whether a value changed that both sides show masked */
function compareEntries(
	before: Readonly<Record<string, unknown>>,
	after: Readonly<Record<string, unknown>>,
	prefix: string,
	add: (path: string, old: unknown, now: unknown) => void,
	isSecretChanged: (name: string) => boolean = () => false,
): void {
	for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
		const [old = null, now = null] = [before[name], after[name]];
		const isSame = old === MASKED && now === MASKED ? !isSecretChanged(name) : isSameValue(old, now);
		if (!isSame) add(`${prefix}${name}`, old, now);
	}
}

const isSameValue = (a: unknown, b: unknown): boolean =>
	a === b || (typeof a === "object" && typeof b === "object" && a !== null && JSON.stringify(a) === JSON.stringify(b));

/** Rows by the name of their sheet; "" for the only table. */
function listNamedRows({ content, sheets }: ComparedVersion): ReadonlyMap<string, readonly InputRow[]> {
	const rows = getRows(sheets, content.input_data);
	return new Map(sheets.map(({ name }, at) => [name ?? "", rows[at] ?? []]));
}

function truncateValue(value: unknown): unknown {
	if (typeof value === "object" && value !== null) {
		const json = JSON.stringify(value);
		return json.length > VALUE_MAX ? `${json.slice(0, VALUE_MAX).toWellFormed()}…` : value;
	}
	return typeof value === "string" && value.length > VALUE_MAX ? `${value.slice(0, VALUE_MAX).toWellFormed()}…` : value;
}
