/** Checks of a posted object against its class, in the words of the controller. */
import { buildRn, canonicalizeRn, getParentDn as getParent, joinDn, matchRn, splitDn } from "../dn.ts";
import { ApiError, unknownClass } from "../errors.ts";
import { buildDistinctRn, buildHabitualRn, getProp, hasFormat } from "../model/open-classes.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo, PropInfo } from "../model/types.ts";
import { normalizeValue } from "../query/values.ts";
import type { TreeNode } from "../tree.ts";

export interface Status {
	readonly deleted: boolean;
	/** An object that exists is no error. */
	readonly mayExist: boolean;
	/** An object that does not exist is no error. */
	readonly mayBeMissing: boolean;
}

/** Sent along by clients that post what they have read; the controller sets them itself. */
const IGNORED: ReadonlySet<string> = new Set([
	"dn",
	"rn",
	"status",
	"childAction",
	"lcOwn",
	"modTs",
	"uid",
	"monPolDn",
	"extMngdBy",
]);

export function checkClass(node: TreeNode, registry: Registry): ClassInfo {
	const cls = registry.find(node.cls);
	if (cls === undefined || cls.abstract) throw unknownClass.inBody(node.cls);
	if (cls.open) return cls;
	for (const name of Object.keys(node.attributes)) {
		if (!IGNORED.has(name) && !cls.props.has(name))
			throw new ApiError(400, `unknown attribute '${name}' in element '${node.cls}'`);
	}
	return cls;
}

/** `created` alone refuses existing objects, `modified` alone missing ones; neither allows both. */
export function readStatus(node: TreeNode, dn: string): Status {
	const words = (node.attributes.status ?? "").split(",").map((word) => word.trim());
	const bad = words.find((word) => !["", "created", "modified", "deleted", "replaced"].includes(word));
	if (bad !== undefined) throw buildUnknownValueError(bad, "status", node.cls, dn);
	const [created, modified] = [words.includes("created"), words.includes("modified")];
	return { deleted: words.includes("deleted"), mayExist: !created || modified, mayBeMissing: created || !modified };
}

/** A DN, and whether the client wrote it: if not, it is made of naming properties. */
export interface ResolvedDn {
	readonly dn: string;
	readonly given: boolean;
}

/**
 * The DN of a posted object: its `dn`, its `rn` below the parent, or its naming properties below
 * the parent.
 *
 * @param isTaken whether another object of the same body has the DN
 */
export function resolveDn(
	node: TreeNode,
	cls: ClassInfo,
	parentDn: string,
	isTaken: (dn: string) => boolean,
): ResolvedDn {
	const { dn, rn } = node.attributes;
	if (dn !== undefined && dn !== "") return { dn: checkRn(cls, dn), given: true };
	if (rn !== undefined && rn !== "") return { dn: checkRn(cls, joinDn(parentDn, rn)), given: true };
	const built = hasFormat(cls) ? buildRn(cls.rn, (prop) => node.attributes[prop]) : null;
	if (built !== null) return { dn: checkRn(cls, joinDn(parentDn, built)), given: false };
	if (!cls.open) throw new ApiError(104, `Invalid RN ${cls.rn.text.replace(/\{\w+\}/g, "")}`);
	const made = buildDistinctRn(buildHabitualRn(cls, node.attributes), node.attributes, (name) =>
		isTaken(joinDn(parentDn, name)),
	);
	return { dn: joinDn(parentDn, made), given: false };
}

/** Whether the body's top object may be the one of the URL, by the URL's RN. */
export function isNamedBy(node: TreeNode, cls: ClassInfo, urlDn: string): boolean {
	const rn = canonicalizeRn(cls.rn, splitDn(urlDn)?.at(-1) ?? "");
	const names = rn === null ? null : matchRn(cls.rn, rn);
	return names !== null && [...names].every(([prop, value]) => (node.attributes[prop] ?? value) === value);
}

/** The DN with its last RN as the class's format has it. */
export function checkRn(cls: ClassInfo, dn: string): string {
	const rn = splitDn(dn)?.at(-1);
	if (rn === undefined) throw new ApiError(400, `Request failed, the DN ${dn} is invalid`);
	const canonical = canonicalizeRn(cls.rn, rn) ?? (cls.open ? rn : null);
	if (canonical === null) throw new ApiError(104, `Invalid RN ${rn}`);
	return joinDn(getParent(dn), canonical);
}

/** The values to set, normalised; naming properties come from the DN. */
export function checkValues(
	node: TreeNode,
	cls: ClassInfo,
	dn: string,
	current: (prop: string) => string | undefined,
): Map<string, string> {
	const values = new Map<string, string>();
	for (const [prop, value] of matchRn(cls.rn, splitDn(dn)?.at(-1) ?? "") ?? []) {
		const given = node.attributes[prop];
		if (cls.open && given !== undefined) continue;
		if (given !== undefined && given !== value)
			throw new ApiError(100, `Validation failed: naming property ${prop} of ${dn} is '${given}'`);
		values.set(prop, checkValue(cls.props.get(prop), value, cls, dn));
	}
	for (const [name, value] of Object.entries(node.attributes)) {
		const prop = getProp(cls, name);
		if (prop === undefined || IGNORED.has(name) || values.has(name)) continue;
		const checked = checkValue(prop, value, cls, dn);
		if (!prop.configurable && !prop.naming && !cls.open) {
			if (current(name) !== checked && checked !== prop.initial)
				throw new ApiError(105, `Cannot modify property ${name} of ${dn}, it is not configurable`);
			continue;
		}
		values.set(name, checked);
	}
	return values;
}

function checkValue(prop: PropInfo | undefined, value: string, cls: ClassInfo, dn: string): string {
	if (prop === undefined) return value;
	const { type } = prop;
	if (type.kind === "string") {
		const fits = (type.pattern === null || type.pattern.test(value)) && (type.max === 0 || value.length <= type.max);
		if (!fits) throw new ApiError(801, `property ${prop.name} of ${dn} failed validation for value '${value}'`);
		return value;
	}
	const normal = normalizeValue(type, value);
	if (normal === null) throw buildUnknownValueError(value, prop.name, cls.name, dn);
	return normal;
}

function buildUnknownValueError(value: string, prop: string, cls: string, dn: string): ApiError {
	return new ApiError(120, `unknown property value ${value}, name ${prop}, class ${cls} [(Dn0)] Dn0=${dn}, `);
}
