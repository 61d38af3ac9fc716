/** Loads raw answers into the store: objects as a controller answered them, nested ones by their `rn` or their naming properties. */
import { buildRn, splitDn } from "./dn.ts";
import type { Registry } from "./model/registry.ts";
import { type Mo, makeShape, type Shape } from "./store/mo.ts";
import type { Store } from "./store/store.ts";

export interface LoadReport {
	readonly loaded: number;
	/** Objects that say nowhere where they belong, e.g. moCount. */
	readonly skipped: number;
}

interface RawObject {
	readonly cls: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly children: readonly unknown[];
}

export function createLoader(store: Store, registry: Registry) {
	const shapes = new Map<string, Shape>();

	function shapeOf(raw: RawObject, rn: string): Shape {
		const cls = registry.learn(raw.cls, raw.attributes, rn);
		const names = Object.keys(raw.attributes).filter((name) => name !== "dn" && name !== "rn");
		const key = `${raw.cls} ${names.sort().join(" ")}`;
		let shape = shapes.get(key);
		if (shape === undefined) {
			shape = makeShape(cls, names, new Map());
			shapes.set(key, shape);
		}
		return shape;
	}

	function put(raw: RawObject, parent: Mo | null, rn: string): number {
		const shape = shapeOf(raw, rn);
		const values = shape.names.map((name) => raw.attributes[name] ?? "");
		for (const prop of ["code"])
			if (raw.attributes[prop] !== undefined) registry.addLiteral(raw.cls, prop, raw.attributes[prop]);
		const existing = store.child(parent, rn);
		const mo =
			existing === undefined || existing.shape.cls === null
				? store.add(parent, shape, rn, values)
				: store.replace(existing, shape, values);
		let loaded = 1;
		for (const child of raw.children) {
			const below = readObject(child);
			const childRn = below === null ? null : relativeName(below, registry);
			if (below !== null && childRn !== null) loaded += put(below, mo, childRn);
		}
		return loaded;
	}

	return {
		/** @throws TypeError for what is no answer */
		load(answer: unknown): LoadReport {
			const items = itemsOf(answer);
			let [loaded, skipped] = [0, 0];
			for (const item of items) {
				const raw = readObject(item);
				const rns = raw === null ? null : splitDn(raw.attributes.dn ?? "");
				const rn = rns?.at(-1);
				if (raw === null || rns === null || rn === undefined) skipped++;
				else loaded += put(raw, rns.length === 1 ? null : store.reach(rns.slice(0, -1)), rn);
			}
			return { loaded, skipped };
		},
	};
}

/** An answer, its imdata, or a single object. */
function itemsOf(answer: unknown): readonly unknown[] {
	if (Array.isArray(answer)) return answer;
	if (typeof answer === "object" && answer !== null && "imdata" in answer && Array.isArray(answer.imdata))
		return answer.imdata;
	throw new TypeError("expected an answer with imdata, or a list of objects");
}

function readObject(item: unknown): RawObject | null {
	if (typeof item !== "object" || item === null) return null;
	const [entry] = Object.entries(item);
	if (entry === undefined) return null;
	const body: unknown = entry[1];
	if (
		typeof body !== "object" ||
		body === null ||
		!("attributes" in body) ||
		typeof body.attributes !== "object" ||
		body.attributes === null
	)
		return null;
	const attributes = Object.fromEntries(Object.entries(body.attributes).map(([name, value]) => [name, String(value)]));
	const children = "children" in body && Array.isArray(body.children) ? body.children : [];
	return { cls: entry[0], attributes, children };
}

/** The RN of a nested object: given, the end of its DN, or made from its naming properties. */
function relativeName(raw: RawObject, registry: Registry): string | null {
	const { rn, dn } = raw.attributes;
	if (rn !== undefined && rn !== "") return rn;
	if (dn !== undefined) return splitDn(dn)?.at(-1) ?? null;
	const cls = registry.find(raw.cls);
	return cls === undefined ? null : buildRn(cls.rn, (prop) => raw.attributes[prop]);
}
