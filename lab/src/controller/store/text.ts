/**
 * JSON and XML text of objects. The text between values is compiled once per shape. The text of
 * top-level results is cached within a budget.
 */
import type { ClassInfo } from "../model/types.ts";
import { type CompiledText, getDn, type Mo, type Shape } from "./mo.ts";

/** Which properties are shown (`rsp-prop-include`). */
export type Projection = "all" | "naming-only" | "config-only" | "set-config-only";

/** `top` results carry `dn`, `nested` ones `rn`, records nested by a facet `dn`. */
export type Place = "top" | "nested";

const PROJECTIONS: readonly Projection[] = ["all", "naming-only", "config-only", "set-config-only"];
const FROM_DN = -1;
const FROM_RN = -2;

interface ShownAttribute {
	readonly name: string;
	readonly source: number | { readonly constant: string };
	/** For `set-config-only`: leave the attribute out while it has this value. */
	readonly unless: string | null;
}

const CONTROL = /["\\\p{Cc}]/u;

function escapeJson(value: string): string {
	return CONTROL.test(value) ? JSON.stringify(value).slice(1, -1) : value;
}

/** The attributes an object of this shape shows, sorted by name with `dn` or `rn` in its place. */
function listShownAttributes(shape: Shape, place: Place, projection: Projection): ShownAttribute[] {
	const cls = shape.cls;
	const shown: ShownAttribute[] = [];
	for (const [at, name] of shape.names.entries()) {
		if (!isShown(cls, name, projection) || (name === "rn" && place === "nested")) continue;
		const slot = shape.slots[at] ?? -1;
		const unless =
			projection === "set-config-only" && cls?.props.get(name)?.naming !== true
				? (cls?.props.get(name)?.initial ?? null)
				: null;
		shown.push({ name, source: slot < 0 ? { constant: shape.constants[at] ?? "" } : slot, unless });
	}
	// Nested objects of a config-only answer have neither dn nor rn.
	if (place === "top") shown.push({ name: "dn", source: FROM_DN, unless: null });
	else if (projection === "all" || projection === "naming-only")
		shown.push({ name: "rn", source: FROM_RN, unless: null });
	return shown.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isShown(cls: ClassInfo | null, name: string, projection: Projection): boolean {
	if (projection === "all") return true;
	const prop = cls?.props.get(name);
	if (prop === undefined) return false;
	return prop.naming || (projection !== "naming-only" && prop.configurable);
}

function compileText(shape: Shape, place: Place, projection: Projection): CompiledText {
	const pieces: string[] = [];
	const sources: number[] = [];
	let piece = `{"${shape.cls?.name ?? ""}":{"attributes":{`;
	let first = true;
	for (const { name, source } of listShownAttributes(shape, place, projection)) {
		piece += `${first ? "" : ","}${JSON.stringify(name)}:"`;
		first = false;
		if (typeof source === "number") {
			pieces.push(piece);
			sources.push(source);
			piece = '"';
		} else piece += `${escapeJson(source.constant)}"`;
	}
	pieces.push(`${piece}}`);
	return { pieces, sources };
}

function compileOnce(shape: Shape, place: Place, projection: Projection, key: number): CompiledText {
	const compiled = compileText(shape, place, projection);
	shape.compiled[key] = compiled;
	return compiled;
}

/** The text up to and including the attributes. The caller adds children and closing braces. */
export function openText(mo: Mo, place: Place, projection: Projection): string {
	if (projection === "set-config-only") return openSetText(mo, place);
	const key = PROJECTIONS.indexOf(projection) * 2 + (place === "top" ? 0 : 1);
	const { pieces, sources } = mo.shape.compiled[key] ?? compileOnce(mo.shape, place, projection, key);
	let text = pieces[0] ?? "";
	for (let at = 0; at < sources.length; at++) {
		const source = sources[at] ?? 0;
		const value = source >= 0 ? (mo.values[source] ?? "") : source === FROM_DN ? getDn(mo) : mo.rn;
		text += escapeJson(value) + (pieces[at + 1] ?? "");
	}
	return text;
}

/** `set-config-only` depends on the values, so it is not compiled. */
function openSetText(mo: Mo, place: Place): string {
	const shown = listAttributes(mo, place, "set-config-only").map(
		([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
	);
	return `{"${mo.shape.cls?.name ?? ""}":{"attributes":{${shown.join(",")}}`;
}

/** Name and value of every shown attribute, for XML and for events. */
export function listAttributes(mo: Mo, place: Place, projection: Projection): [string, string][] {
	const pairs: [string, string][] = [];
	for (const { name, source, unless } of listShownAttributes(mo.shape, place, projection)) {
		const value =
			typeof source !== "number"
				? source.constant
				: source >= 0
					? (mo.values[source] ?? "")
					: source === FROM_DN
						? getDn(mo)
						: mo.rn;
		if (unless === null || value !== unless) pairs.push([name, value]);
	}
	return pairs;
}

export interface TextCache {
	/** Whole JSON text of a top-level result without children and with all its properties. */
	text(mo: Mo): string;
}

/** @param budget characters to keep; when exceeded, the cache is emptied */
export function createTextCache(budget: number): TextCache {
	let held: Mo[] = [];
	let spent = 0;
	return {
		text(mo) {
			if (mo.text !== null) return mo.text;
			const text = `${openText(mo, "top", "all")}}}`;
			if (spent + text.length > budget) {
				for (const old of held) old.text = null;
				held = [];
				spent = 0;
			}
			mo.text = text;
			held.push(mo);
			spent += text.length;
			return text;
		},
	};
}
