/** Turns a plan of Terraform for the provider of Cisco ACI into expectations. */
import { type ExpectationInput, expectationInput, type NotUnderstood, type ObjectChange } from "@weft/contracts";
import { getText, isRecord } from "../../../core/rows/json.ts";
import { buildRn, createRnReader, listNamingProperties, splitDn } from "../../runs/pipelines/rules/dn.ts";
import type { Imported } from "./import-result.ts";
import { TERRAFORM_CLASSES } from "./terraform-classes.ts";
import { findReferredResource, type ResourceChange, readTerraformPlan, type TerraformPlan } from "./terraform-plan.ts";

/** Returns the format of a class's relative name (`BD-{name}`); undefined for an unknown class. */
export type FindRnFormat = (className: string) => string | undefined;

/** Types whose `content` has attributes by the controller's names. */
const CONTENT_TYPES: readonly string[] = ["aci_rest_managed", "aci_rest"];

type Values = Readonly<Record<string, unknown>>;
/** A dn, or the reason why it is unknown. */
type FoundDn = { readonly dn: string } | { readonly reason: string };
/** A difference that a resource makes. */
interface PlannedChange {
	readonly change: ObjectChange;
	readonly dn: string;
	readonly className: string | null;
	readonly attributes: ExpectationInput["attributes"];
	readonly note: string;
}

/**
 * Takes the dn of a resource from its `dn`, else from its `id`, else builds it from the dn of its
 * parent. Leaves out resources of other providers, and those that do not change.
 * @throws ImportError for a text that is no plan
 */
export function importTerraform(content: string, findRnFormat: FindRnFormat): Imported {
	const plan = readTerraformPlan(content);
	const planned: PlannedChange[] = [];
	const notUnderstood: NotUnderstood[] = [];
	for (const resource of plan.resource_changes) {
		if (resource.mode !== "managed" || !resource.type.startsWith("aci_")) continue;
		const found = listPlannedChanges(plan, resource, findRnFormat);
		if (typeof found === "string") notUnderstood.push({ what: resource.address, reason: found });
		else planned.push(...found);
	}
	const expectations: ExpectationInput[] = [];
	for (const { change, dn, className, attributes, note } of joinPlannedChanges(planned)) {
		const checked = expectationInput.safeParse({
			change,
			dn,
			class_name: className,
			attributes,
			note,
			source: "terraform",
		});
		if (checked.success) expectations.push(checked.data);
		else notUnderstood.push({ what: note, reason: checked.error.issues[0]?.message ?? "It is not valid." });
	}
	return { expectations, notUnderstood };
}

/** Returns the differences of a resource, or the reason why they are unknown. */
function listPlannedChanges(
	plan: TerraformPlan,
	resource: ResourceChange,
	findRnFormat: FindRnFormat,
): PlannedChange[] | string {
	const { actions, before, after } = resource.change;
	const isCreated = actions.includes("create");
	const isDeleted = actions.includes("delete");
	if (!isCreated && !isDeleted && !actions.includes("update")) return [];
	const read = (values: Values) => findDn({ plan, open: new Set() }, resource, values, findRnFormat);
	const old = isCreated && !isDeleted ? null : read(before ?? {});
	const now = isDeleted && !isCreated ? null : read({ ...after, ...keepIdentity(resource, before ?? {}) });
	for (const side of [old, now]) if (side !== null && "reason" in side) return side.reason;
	const [from, to] = [old, now].map((side) => (side !== null && "dn" in side ? side.dn : null));
	if (from != null && from === to) {
		const attributes = isCreated || !CONTENT_TYPES.includes(resource.type) ? null : readContentChanges(resource);
		const isSame = attributes !== null && Object.keys(attributes).length === 0;
		return [
			...(isSame ? [] : [buildPlanned(resource, "modified", from, attributes)]),
			...listChildChanges(resource, from, before, after),
		];
	}
	return [
		...(from == null ? [] : [buildPlanned(resource, "deleted", from, null)]),
		...(from == null ? [] : listChildChanges(resource, from, before, null)),
		...(to == null ? [] : [buildPlanned(resource, "added", to, null)]),
		...(to == null ? [] : listChildChanges(resource, to, null, after)),
	];
}

/** Keeps `id` and `dn` of an updated resource, which the plan may show as unknown. */
const keepIdentity = ({ change: { actions } }: ResourceChange, { id, dn }: Values): Values =>
	actions.includes("update") ? { id, ...(dn === undefined ? {} : { dn }) } : {};

const buildPlanned = (
	resource: ResourceChange,
	change: PlannedChange["change"],
	dn: string,
	attributes: ExpectationInput["attributes"],
): PlannedChange => ({
	change,
	dn,
	className: getClassName(resource),
	attributes,
	note: resource.address.slice(0, 500),
});

function getClassName({ type, change: { before, after } }: ResourceChange): string | null {
	const given = after?.class_name ?? before?.class_name;
	return TERRAFORM_CLASSES.get(type)?.className ?? (typeof given === "string" && given !== "" ? given : null);
}

interface Search {
	readonly plan: TerraformPlan;
	/** Addresses of resources whose dn is being searched: they end circular references. */
	readonly open: Set<string>;
}

function findDn(search: Search, resource: ResourceChange, values: Values, findRnFormat: FindRnFormat): FoundDn {
	const { dn, id, path } = values;
	for (const known of [dn, id]) if (typeof known === "string" && known !== "") return checkDn(known);
	const [, rest] = typeof path === "string" ? (/^\/api\/(?:node\/)?mo\/(.+)\.(?:json|xml)$/.exec(path) ?? []) : [];
	if (rest === undefined) return buildDn(search, resource, values, findRnFormat);
	const format = findRnFormat(getClassName(resource) ?? "");
	const isOwn = format === undefined || createRnReader(format)(splitDn(rest).at(-1) ?? "") !== undefined;
	return isOwn ? checkDn(rest) : { reason: `Its path is that of an object above: no dn ends with ${format} there.` };
}

const checkDn = (dn: string): FoundDn =>
	dn.includes("*") ? { reason: "Its dn has a *, which would stand for any characters." } : { dn };

/** Builds a dn from the dn of the parent and the naming properties of the class. */
function buildDn(search: Search, resource: ResourceChange, values: Values, findRnFormat: FindRnFormat): FoundDn {
	const known = TERRAFORM_CLASSES.get(resource.type);
	if (known === undefined)
		return { reason: `Neither its dn nor its id is known, and ${resource.type} is no known type.` };
	const above =
		"dn" in known.parent ? known.parent : findParentDn(search, resource, values, known.parent.attribute, findRnFormat);
	if ("reason" in above) return above;
	const format = findRnFormat(known.className) ?? known.rnFormat;
	const names = new Map<string, string>();
	for (const property of listNamingProperties(format)) {
		const attribute = known.naming?.[property] ?? toSnakeCase(property);
		const value = getText(values[attribute]);
		if (value === undefined || value === "") return { reason: `Its ${attribute} is not known.` };
		names.set(property, value);
	}
	const rn = buildRn(format, names);
	return rn === undefined ? { reason: `Its values do not fit ${format}.` } : checkDn(`${above.dn}/${rn}`);
}

const toSnakeCase = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Finds the dn of the parent: a known one, or that of the resource that the attribute names. */
function findParentDn(
	search: Search,
	resource: ResourceChange,
	values: Values,
	attribute: string,
	findRnFormat: FindRnFormat,
): FoundDn {
	// Newer releases of the provider name the attribute `parent_dn` in every resource.
	for (const known of [values[attribute], values.parent_dn])
		if (typeof known === "string" && known !== "") return { dn: known };
	const unknown = { reason: `The dn above it (${attribute}) is not known.` };
	if (search.open.has(resource.address)) return unknown;
	search.open.add(resource.address);
	const parent =
		findReferredResource(search.plan, resource, attribute) ?? findReferredResource(search.plan, resource, "parent_dn");
	if (parent === undefined) return unknown;
	return findDn(search, parent, parent.change.after ?? parent.change.before ?? {}, findRnFormat);
}

/**
 * Reads the attributes of `content` that get another value. An attribute that is removed from it
 * keeps its value on the controller. An unknown or sensitive attribute may get any value.
 */
function readContentChanges({ change }: ResourceChange): NonNullable<ExpectationInput["attributes"]> {
	const { before, after, after_unknown, before_sensitive, after_sensitive } = change;
	const [old, now, unknown] = [before, after, after_unknown].map(readContent);
	const changes: NonNullable<ExpectationInput["attributes"]> = {};
	for (const name of new Set([...Object.keys(now ?? {}), ...Object.keys(unknown ?? {})])) {
		const [from, to] = [old, now].map((content) => readAttribute(content?.[name]));
		const isHidden = [after_unknown, before_sensitive, after_sensitive].some((mark) => isMarked(mark, name));
		if (isHidden) {
			if (from === undefined || from !== to) changes[name] = {};
		} else if (to !== undefined && from !== to) changes[name] = from === undefined ? { to } : { from, to };
	}
	return changes;
}

/** Reads the members of `content`, and the annotation beside it. */
function readContent(values: unknown): Values {
	if (!isRecord(values)) return {};
	const { content, annotation } = values;
	return { ...(isRecord(content) ? content : {}), ...(annotation === undefined ? {} : { annotation }) };
}

/** Whether a mark of the plan, such as `after_sensitive`, covers an attribute. */
const isMarked = (mark: unknown, name: string): boolean =>
	mark === true || (isRecord(mark) && mark.content === true) || readContent(mark)[name] === true;

/** Reads a value in the controller's spelling; undefined if it is unknown. */
function readAttribute(value: unknown): string | undefined {
	const text = getText(value);
	return text === "true" ? "yes" : text === "false" ? "no" : text;
}

/** Lists the changed children of `aci_rest_managed`, which have relative names. */
function listChildChanges(
	{ type, address }: ResourceChange,
	dn: string,
	before: Values | null | undefined,
	after: Values | null | undefined,
): PlannedChange[] {
	if (type !== "aci_rest_managed") return [];
	const [old, now] = [before?.child, after?.child].map(readChildren);
	const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
	return names.flatMap((rn): PlannedChange[] => {
		const [was, is] = [old?.get(rn), now?.get(rn)];
		if (JSON.stringify(was) === JSON.stringify(is)) return [];
		const className = getText((is ?? was)?.class_name) ?? null;
		const kind = was === undefined ? "added" : is === undefined ? "deleted" : "modified";
		// The plan marks blocks of children only as a whole, so values are left out.
		return [{ change: kind, dn: `${dn}/${rn}`, className, attributes: null, note: address.slice(0, 500) }];
	});
}

function readChildren(children: unknown): Map<string, Values> {
	const found = new Map<string, Values>();
	for (const child of Array.isArray(children) ? children : [])
		if (isRecord(child) && typeof child.rn === "string" && child.rn !== "") found.set(child.rn, child);
	return found;
}

/** Joins differences of one object. An object that is deleted and added again is modified. */
function joinPlannedChanges(planned: readonly PlannedChange[]): PlannedChange[] {
	const byDn = new Map<string, PlannedChange>();
	for (const one of planned) {
		const earlier = byDn.get(one.dn);
		if (earlier === undefined) byDn.set(one.dn, one);
		else {
			const hasAll = earlier.attributes === null || one.attributes === null || earlier.change !== one.change;
			byDn.set(one.dn, {
				...earlier,
				change: earlier.change === one.change ? one.change : "modified",
				attributes: hasAll ? null : { ...earlier.attributes, ...one.attributes },
			});
		}
	}
	return [...byDn.values()];
}
