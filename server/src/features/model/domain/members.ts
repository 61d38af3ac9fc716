/** Members of scanned objects by name, for objects that mostly have the same keys in the same order. */
import { type Scanner, SLOTS } from "../../../platform/json/scan.ts";
import { ESCAPED } from "../../../platform/json/tokens.ts";

export interface Members<Name extends string> {
	/**
	 * Reads an object on the scanner's tape.
	 * @param other called with the key's node for every member of another name
	 */
	read(scanner: Scanner, object: number, other?: (key: number) => void): void;
	/** The place of each name. */
	readonly at: Readonly<Record<Name, number>>;
	/** The node of the value at a place, -1 where there is none; of equal names the last one counts. */
	node(place: number): number;
}

export function createMembers<const Name extends string>(names: readonly Name[]): Members<Name> {
	const quoted = names.map((name) => Buffer.from(`"${name}"`));
	const at = Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
	const places = new Map<string, number>(Object.entries(at));
	const values = new Int32Array(names.length);
	/** Which name came after each the last time; at the end, which one came first. */
	const after = new Int32Array(names.length + 1);

	function isAt(name: Buffer, bytes: Buffer, start: number, end: number): boolean {
		if (name.length !== end - start) return false;
		for (let at = 1; at < name.length; at++) if (bytes[start + at] !== name[at]) return false;
		return true;
	}

	function placeOf({ bytes, tape: { nodes } }: Scanner, key: number, before: number): number {
		const [start, end] = [nodes[key + 1] as number, nodes[key + 2] as number];
		const likely = after[before] as number;
		if (isAt(quoted[likely] as Buffer, bytes, start, end)) return likely;
		const isEscaped = ((nodes[key] as number) & ESCAPED) !== 0;
		const name = isEscaped
			? JSON.parse(bytes.toString("utf8", start, end))
			: bytes.toString("utf8", start + 1, end - 1);
		const place = places.get(name) ?? -1;
		if (place >= 0) after[before] = place;
		return place;
	}

	return {
		read(scanner, object, other) {
			const { nodes } = scanner.tape;
			values.fill(-1);
			let before = names.length;
			const end = nodes[object + 3] as number;
			for (let key = object + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
				const place = placeOf(scanner, key, before);
				if (place < 0) other?.(key);
				else {
					values[place] = key + SLOTS;
					before = place;
				}
			}
		},
		at,
		node: (place) => values[place] as number,
	};
}
