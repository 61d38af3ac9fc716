/**
 * Members of scanned objects by name, for objects that mostly have the same keys in the same order.
 */
import { type Scanner, SLOTS } from "../../../core/json/scan.ts";
import { ESCAPED } from "../../../core/json/tokens.ts";

export interface Members<Name extends string> {
	/**
	 * Reads an object on the scanner's tape.
	 * @param other called with the key's node for every member of another name
	 */
	read(scanner: Scanner, object: number, other?: (key: number, name: string) => void): void;
	/** The place of each name. */
	readonly at: Readonly<Record<Name, number>>;
	/**
	 * The node of the value at a place, -1 where there is none; of equal names the last one counts.
	 */
	node(place: number): number;
}

/**
 * Upper bound of cached names. Names that the reader does not ask for are cached too, so that each
 * is decoded once.
 */
const MOST = 512;

export function createMembers<const Name extends string>(names: readonly Name[]): Members<Name> {
	const known: string[] = [...names];
	const quoted = known.map((name) => Buffer.from(`"${name}"`));
	const at = Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
	const places = new Map<string, number>(Object.entries(at));
	const values = new Int32Array(names.length);
	/** Which name came after each the last time; before all of them, which one came first. */
	const after = new Int32Array(MOST + 1);
	/** The last name that is not kept. */
	let other = "";

	function isAt(name: Buffer, bytes: Buffer, start: number, end: number): boolean {
		if (name.length !== end - start) return false;
		for (let at = 1; at < name.length; at++) if (bytes[start + at] !== name[at]) return false;
		return true;
	}

	/** -1 for a name that is not kept. */
	function findPlace({ bytes, tape: { nodes } }: Scanner, key: number, before: number): number {
		const [start, end] = [nodes[key + 1] as number, nodes[key + 2] as number];
		const likely = after[before + 1] as number;
		if (isAt(quoted[likely] as Buffer, bytes, start, end)) return likely;
		const isEscaped = ((nodes[key] as number) & ESCAPED) !== 0;
		const name: string = isEscaped
			? JSON.parse(bytes.toString("utf8", start, end))
			: bytes.toString("utf8", start + 1, end - 1);
		const place = places.get(name) ?? (isEscaped ? -1 : addKnownName(name));
		if (place >= 0) after[before + 1] = place;
		else other = name;
		return place;
	}

	function addKnownName(name: string): number {
		if (known.length === MOST) return -1;
		const place = known.push(name) - 1;
		quoted.push(Buffer.from(`"${name}"`));
		places.set(name, place);
		return place;
	}

	return {
		read(scanner, object, visit) {
			const { nodes } = scanner.tape;
			values.fill(-1);
			let before = -1;
			const end = nodes[object + 3] as number;
			for (let key = object + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
				const place = findPlace(scanner, key, before);
				if (place >= 0) before = place;
				if (place >= 0 && place < names.length) values[place] = key + SLOTS;
				else visit?.(key, known[place] ?? other);
			}
		},
		at,
		node: (place) => values[place] as number,
	};
}
