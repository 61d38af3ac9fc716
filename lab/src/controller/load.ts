/**
 * Loads recorded answers into the store. Nested objects get DNs from `rn` or naming properties, so
 * that siblings never share one.
 */
import { buildRn, splitDn } from "./dn.ts";
import { buildDistinctRn, buildHabitualRn, hasFormat } from "./model/open-classes.ts";
import type { Registry } from "./model/registry.ts";
import { type Mo, makeShape, type Shape } from "./store/mo.ts";
import type { Store } from "./store/store.ts";

export interface LoadReport {
	readonly loaded: number;
	/** Objects, nested ones too, that are none or say nowhere where they belong, e.g. moCount. */
	readonly skipped: number;
}

interface RawObject {
	readonly cls: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly children: readonly unknown[];
}

interface Tally {
	loaded: number;
	skipped: number;
}

/** Where a nested object belongs. */
interface Place {
	readonly rn: string;
	/** The RN is the object's own and not one that the simulator chose. */
	readonly own: boolean;
}

/** Classes without naming properties that have no parent: a tree may begin with them. */
const ROOTS: Readonly<Record<string, string>> = { polUni: "uni", fabricTopology: "topology" };

export function createLoader(store: Store, registry: Registry) {
	const shapes = new Map<string, Shape>();

	function getShape(raw: RawObject, { rn, own }: Place): Shape {
		const cls = registry.learn(raw.cls, raw.attributes, { rn: own ? rn : null, posted: false });
		// With a DN beside it, `rn` is an attribute like any other; alone it places the object.
		const hidden = raw.attributes.dn === undefined ? ["rn"] : ["dn"];
		const names = Object.keys(raw.attributes).filter((name) => !hidden.includes(name));
		const key = `${raw.cls} ${names.sort().join(" ")}`;
		let shape = shapes.get(key);
		if (shape === undefined) {
			shape = makeShape(cls, names, new Map());
			shapes.set(key, shape);
		}
		return shape;
	}

	function putObject(raw: RawObject, parent: Mo | null, place: Place, tally: Tally): void {
		const shape = getShape(raw, place);
		const values = shape.names.map((name) => raw.attributes[name] ?? "");
		const existing = store.child(parent, place.rn);
		const mo =
			existing === undefined || existing.shape.cls === null
				? store.add(parent, shape, place.rn, values)
				: store.replace(existing, shape, values);
		tally.loaded++;
		if (raw.children.length > 0) putChildren(raw.children, mo, tally);
	}

	function putChildren(children: readonly unknown[], parent: Mo, tally: Tally): void {
		const taken = new Set<string>();
		for (const child of children) {
			const raw = readObject(child);
			if (raw === null) {
				tally.skipped++;
				continue;
			}
			const place = findPlace(raw, taken);
			taken.add(place.rn);
			putObject(raw, parent, place, tally);
		}
	}

	/** Given, the end of its DN, or made from its naming properties. */
	function findPlace(raw: RawObject, taken: ReadonlySet<string>): Place {
		const { rn, dn } = raw.attributes;
		const given = rn !== undefined && rn !== "" ? rn : splitDn(dn ?? "")?.at(-1);
		if (given !== undefined) return { rn: given, own: true };
		const cls = registry.find(raw.cls) ?? registry.learn(raw.cls, raw.attributes, { rn: null, posted: false });
		const built = hasFormat(cls) ? buildRn(cls.rn, (prop) => raw.attributes[prop]) : null;
		const wanted = built ?? buildHabitualRn(cls, raw.attributes);
		return { rn: buildDistinctRn(wanted, raw.attributes, (name) => taken.has(name)), own: false };
	}

	return {
		/** @throws TypeError if the value is not an answer */
		load(answer: unknown): LoadReport {
			const tally: Tally = { loaded: 0, skipped: 0 };
			for (const item of getItems(answer)) {
				const raw = readObject(item);
				const rns = raw === null ? null : splitDn(raw.attributes.dn ?? ROOTS[raw.cls] ?? "");
				const rn = rns?.at(-1);
				if (raw === null || rns === null || rn === undefined) tally.skipped += 1 + countBelow(raw);
				else putObject(raw, rns.length === 1 ? null : store.reach(rns.slice(0, -1)), { rn, own: true }, tally);
			}
			return tally;
		},
	};
}

/** The objects nested in one that has no place. */
function countBelow(raw: RawObject | null): number {
	return (raw?.children ?? []).reduce<number>((sum, child) => sum + 1 + countBelow(readObject(child)), 0);
}

/** An answer, its imdata, or a single object. */
function getItems(answer: unknown): readonly unknown[] {
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
