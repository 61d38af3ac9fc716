/** Checks of a posted object against its class, in the words of the controller. */
import { buildRn, matchRn, splitDn } from "../dn.ts";
import { ApiError, unknownClass } from "../errors.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo, PropInfo } from "../model/types.ts";
import { normalize } from "../query/values.ts";
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
	for (const name of Object.keys(node.attributes)) {
		if (!IGNORED.has(name) && !cls.props.has(name))
			throw new ApiError(400, `unknown attribute '${name}' in element '${node.cls}'`);
	}
	return cls;
}

/** `created` alone refuses what exists, `modified` alone what does not; nothing said means either. */
export function readStatus(node: TreeNode, dn: string): Status {
	const words = (node.attributes.status ?? "").split(",").map((word) => word.trim());
	const bad = words.find((word) => !["", "created", "modified", "deleted", "replaced"].includes(word));
	if (bad !== undefined) throw unknownValue(bad, "status", node.cls, dn);
	const [created, modified] = [words.includes("created"), words.includes("modified")];
	return { deleted: words.includes("deleted"), mayExist: !created || modified, mayBeMissing: created || !modified };
}

/**
 * The DN of a posted object: its `dn`, its `rn` below the parent, or its naming properties below the parent. The object of the
 * body itself may also be the one the URL names.
 */
export function resolveDn(node: TreeNode, cls: ClassInfo, parentDn: string, urlDn: string | null): string {
	const { dn, rn } = node.attributes;
	if (dn !== undefined && dn !== "") return checkRn(cls, dn);
	if (urlDn !== null) {
		const names = matchRn(cls.rn, splitDn(urlDn)?.at(-1) ?? "");
		const same = names !== null && [...names].every(([prop, value]) => (node.attributes[prop] ?? value) === value);
		if (same) return urlDn;
	}
	const base = urlDn ?? parentDn;
	if (rn !== undefined && rn !== "") return checkRn(cls, `${base}/${rn}`);
	const built = buildRn(cls.rn, (prop) => node.attributes[prop]);
	if (built === null) throw new ApiError(104, `Invalid RN ${cls.rn.text.replace(/\{\w+\}/g, "")}`);
	return checkRn(cls, `${base}/${built}`);
}

function checkRn(cls: ClassInfo, dn: string): string {
	const rn = splitDn(dn)?.at(-1);
	if (rn === undefined) throw new ApiError(400, `Request failed, the DN ${dn} is invalid`);
	if (!cls.learned && matchRn(cls.rn, rn) === null) throw new ApiError(104, `Invalid RN ${rn}`);
	return dn;
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
		if (given !== undefined && given !== value)
			throw new ApiError(100, `Validation failed: naming property ${prop} of ${dn} is '${given}'`);
		values.set(prop, checkValue(cls.props.get(prop), value, cls, dn));
	}
	for (const [name, value] of Object.entries(node.attributes)) {
		const prop = cls.props.get(name);
		if (prop === undefined || IGNORED.has(name) || values.has(name)) continue;
		const checked = checkValue(prop, value, cls, dn);
		if (!prop.configurable && !prop.naming) {
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
	const normal = normalize(type, value);
	if (normal === null) throw unknownValue(value, prop.name, cls.name, dn);
	return normal;
}

function unknownValue(value: string, prop: string, cls: string, dn: string): ApiError {
	return new ApiError(120, `unknown property value ${value}, name ${prop}, class ${cls} [(Dn0)] Dn0=${dn}, `);
}
