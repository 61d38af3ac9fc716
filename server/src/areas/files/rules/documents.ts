/** Objects as documents of files: without ids and secrets, with references by name. */
import { createHash } from "node:crypto";
import {
	type CalendarEntryContent,
	type Canvas,
	type ChangePlanContent,
	type ConnectionContent,
	type checkDocument,
	DEFAULT_DRIFT_RULES,
	type DriftRules,
	type FileQuery,
	type scheduleDocument,
} from "@weft/contracts";
import type * as z from "zod";
import { canonicalJson } from "../../queries/flow/index.ts";
import { splitLayout } from "./layout.ts";

export type QueryContent = FileQuery & {
	/** A group by name. */
	readonly connection_group: string | null;
};
export type ScheduleContent = Omit<z.output<typeof scheduleDocument>, "kind">;

export type CheckContent = Omit<z.output<typeof checkDocument>, "kind">;

export type FileDocument =
	| ({ readonly kind: "query" } & QueryContent)
	| ({ readonly kind: "schedule" } & ScheduleContent)
	| ({ readonly kind: "check" } & CheckContent)
	| ({ readonly kind: "connection" } & ConnectionContent)
	| ({ readonly kind: "change_plan" } & ChangePlanContent)
	| ({ readonly kind: "calendar_entry" } & CalendarEntryContent);

/** The name by which a document is an object of its kind: the title of a calendar entry. */
export const getDocumentName = (document: { readonly name: string } | { readonly title: string }): string =>
	"name" in document ? document.name : document.title;

type Fields = Record<string, unknown>;

/** The document's members in the order of the file: kind, the others by name, layout. */
export function getMembers(document: FileDocument): Fields {
	if (document.kind !== "query") {
		const { kind, ...fields } = document;
		return { kind, ...sortKeys(withoutUnset(fields)) };
	}
	const { kind, flow_data, drift_rules, ...fields } = document;
	const { flow, layout } = splitLayout(flow_data as Canvas);
	const flowPart = {
		nodes: [...flow.nodes].sort(compareByKey(({ id }) => String(id))),
		edges: [...flow.edges].sort(compareByKey(buildEdgeKey)),
	};
	return {
		kind,
		...sortKeys(withoutUnset({ ...fields, flow_data: flowPart, drift_rules: listOwnRules(drift_rules) })),
		...(Object.keys(layout).length > 0 ? { layout: sortKeys(layout) } : {}),
	};
}

/**
 * Equal for two documents that make the same query, whatever the order of nodes and keys.
 * SHA-256, lowercase hex.
 */
export function computeFingerprint(document: QueryContent, withLayout: boolean): string {
	const { layout, ...members } = getMembers({ kind: "query", ...document });
	const { category } = document;
	const compared = { ...members, category: category?.toLowerCase() ?? null, layout: withLayout ? layout : undefined };
	return createHash("sha256").update(canonicalJson(compared)).digest("hex");
}

/** Names of the fields that differ between two documents. */
export function listChangedFields(before: QueryContent, after: QueryContent): Set<string> {
	const [old, now] = [before, after].map((document) => {
		const { kind: _kind, flow_data, layout, ...fields } = getMembers({ kind: "query", ...document });
		return new Map(Object.entries({ ...fields, flow_data: [flow_data, layout ?? null] }));
	});
	// A member that a document leaves out has its default, which may be another value.
	const names = [...(old?.keys() ?? []), ...(now?.keys() ?? [])];
	return new Set(names.filter((name) => canonicalJson(old?.get(name)) !== canonicalJson(now?.get(name))));
}

/** The rules that are not the default ones; undefined if there are none. */
function listOwnRules(rules: DriftRules): Fields | undefined {
	const defaults = new Map<string, unknown>(Object.entries(DEFAULT_DRIFT_RULES));
	const own = Object.entries(rules).filter(([key, rule]) => canonicalJson(rule) !== canonicalJson(defaults.get(key)));
	return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/** Without null members, such as cadence fields that the frequency does not use. */
const withoutUnset = (fields: Fields): Fields =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** A copy with the keys of all objects in order. */
function sortKeys<T>(value: T): T {
	if (Array.isArray(value)) return value.map(sortKeys) as T;
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value)
		.sort(compareByKey(([key]) => key))
		.map(([key, field]) => [key, sortKeys(field)]);
	return Object.fromEntries(entries) as T;
}

const buildEdgeKey = ({ source, target, id }: Readonly<Fields>): string => JSON.stringify([source, target, id]);

/** Orders by code units, the same in every locale. */
function compareByKey<T>(key: (item: T) => string): (a: T, b: T) => number {
	return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
