/** Tools of the generator: templates of objects, names, addresses and times, all from one seed. */
import type { Registry } from "../model/registry.ts";
import type { Random } from "../random.ts";
import { type Mo, makeShape, type Shape } from "../store/mo.ts";
import type { Store } from "../store/store.ts";

/** When the generated fabric's clock stands; `advance` moves it on. */
export const FABRIC_EPOCH = Date.UTC(2026, 2, 2, 8, 0, 0);

export interface Builder {
	readonly store: Store;
	readonly registry: Registry;
	readonly random: Random;
	/**
	 * A shape whose `varying` attributes (sorted) differ per object. The others are constant: from
	 * `fixed`, or the class's initial values.
	 */
	template(cls: string, varying: readonly string[], fixed?: Readonly<Record<string, string>>): Shape;
	/** Values in the order of the template's varying attributes. */
	add(parent: Mo | null, shape: Shape, rn: string, values: string[]): Mo;
	/** A time in the last 400 days; one of few, so that half a million objects share the strings. */
	pastTime(): string;
	/** A time in the last days, for records. */
	recentTime(): string;
}

export function createBuilder(store: Store, registry: Registry, random: Random): Builder {
	const times = Array.from({ length: 256 }, () => formatIsoTime(FABRIC_EPOCH - random.int(400 * 86_400_000)));
	return {
		store,
		registry,
		random,
		template(cls, varying, fixed = {}) {
			const info = registry.find(cls);
			if (info === undefined) throw new Error(`the class ${cls} is not defined`);
			for (const [at, name] of varying.entries()) {
				if (!info.props.has(name)) throw new Error(`${cls} has no property ${name}`);
				if (at > 0 && name <= (varying[at - 1] ?? ""))
					throw new Error(`the varying attributes of ${cls} are not sorted`);
			}
			for (const name of Object.keys(fixed))
				if (!info.props.has(name)) throw new Error(`${cls} has no property ${name}`);
			const constants = new Map<string, string>();
			for (const prop of info.props.values())
				if (!varying.includes(prop.name)) constants.set(prop.name, fixed[prop.name] ?? prop.initial);
			return makeShape(info, [...info.props.keys()], constants);
		},
		add: (parent, shape, rn, values) => store.add(parent, shape, rn, values),
		pastTime: () => random.pick(times),
		recentTime: () => formatIsoTime(FABRIC_EPOCH - random.int(20 * 86_400_000)),
	};
}

/** The controller's time format: milliseconds and a numeric offset. */
export function formatIsoTime(at: number): string {
	return new Date(at).toISOString().replace("Z", "+00:00");
}

export function formatMacAddress(number: number): string {
	const hex = number.toString(16).padStart(8, "0").toUpperCase();
	return `00:50:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}:${hex.slice(6, 8)}`;
}

/** An address in 10.0.0.0/8. */
export function formatIpAddress(number: number): string {
	return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

export function formatTwoDigits(number: number): string {
	return String(number).padStart(2, "0");
}
