/**
 * Layout of the classes around a class: containers and referrers left, contents and targets right.
 * Pure.
 */
import type { Relationships } from "@weft/contracts";

export const GROUPS = ["containers", "referrers", "contained", "referred"] as const;
export type Group = (typeof GROUPS)[number];

interface Neighbour {
	readonly name: string;
	readonly label: string;
	/** The class of the relation; null where one contains the other. */
	readonly via: string | null;
}

export interface Around {
	/** Those that are there; more of a group may be known to the service. */
	readonly groups: Readonly<Record<Group, readonly Neighbour[]>>;
	/** Whether the service has more of them. */
	readonly more: Readonly<Record<Group, boolean>>;
}

/** A class with several kinds of relation appears once per kind. */
export function buildSurroundings({ containers, contained_classes, associations, totals }: Relationships): Around {
	const contained = (list: Relationships["containers"]): Neighbour[] =>
		list.map(({ name, display_name }) => ({ name, label: display_name, via: null }));
	const referring = (wanted: "to" | "from"): Neighbour[] => {
		const list = associations.filter(({ direction }) => direction === wanted);
		const seen = new Map(list.map((each) => [`${each.name} ${each.via}`, each]));
		return [...seen.values()].map(({ name, display_name, via }) => ({ name, label: display_name, via }));
	};
	const moreAssociations = totals.associations > associations.length;
	return {
		groups: {
			containers: contained(containers),
			referrers: referring("from"),
			contained: contained(contained_classes),
			referred: referring("to"),
		},
		more: {
			containers: totals.containers > containers.length,
			referrers: moreAssociations,
			contained: totals.contained_classes > contained_classes.length,
			referred: moreAssociations,
		},
	};
}

export const SIZE = { width: 176, height: 40, gap: 8, head: 26, apart: 22, between: 68 } as const;

/** So far down the class itself is at most: in sight, however much there is around it. */
const LOWEST = 200;

export interface PlacedNeighbour extends Neighbour {
	readonly x: number;
	readonly y: number;
	/** Of the line to the middle. */
	readonly line: string;
}

export interface PlacedGroup {
	readonly group: Group;
	readonly x: number;
	/** Of its heading. */
	readonly y: number;
	readonly nodes: readonly PlacedNeighbour[];
	/** Those that are known but not drawn. */
	readonly hidden: number;
	/** Of what asks for more. */
	readonly moreY: number;
}

interface Drawing {
	readonly width: number;
	readonly height: number;
	readonly middle: { readonly x: number; readonly y: number };
	readonly groups: readonly PlacedGroup[];
}

const SIDES: readonly (readonly [x: number, groups: readonly Group[]])[] = [
	[0, ["containers", "referrers"]],
	[2 * (SIZE.width + SIZE.between), ["contained", "referred"]],
];

/** @param most of each group how many are drawn */
export function drawGraph({ groups, more }: Around, most: Readonly<Record<Group, number>>): Drawing {
	const stacks = SIDES.map(([x, names]) => {
		let y = 0;
		const placed = names.flatMap((group) => {
			const all = groups[group];
			if (all.length === 0) return [];
			const top = y;
			const nodes = all.slice(0, most[group]).map((node, index) => {
				const at = top + SIZE.head + index * (SIZE.height + SIZE.gap);
				return { ...node, x, y: at };
			});
			const hidden = all.length - nodes.length;
			const moreY = top + SIZE.head + nodes.length * (SIZE.height + SIZE.gap);
			y = moreY + (hidden > 0 || more[group] ? SIZE.head : 0) + SIZE.apart;
			return [{ group, x, y: top, nodes, hidden, moreY }];
		});
		return { placed, height: Math.max(0, y - SIZE.apart) };
	});
	const height = Math.max(SIZE.height, ...stacks.map((stack) => stack.height));
	const middle = { x: SIZE.width + SIZE.between, y: Math.min((height - SIZE.height) / 2, LOWEST) };
	return {
		width: 3 * SIZE.width + 2 * SIZE.between,
		height,
		middle,
		groups: stacks.flatMap((stack) => {
			// The shorter side stands beside the class in the middle.
			const beside = middle.y + (SIZE.height - stack.height) / 2;
			const down = Math.max(0, Math.min((height - stack.height) / 2, beside));
			return stack.placed.map((group) => ({
				...group,
				y: group.y + down,
				moreY: group.moreY + down,
				nodes: group.nodes.map((node) => ({
					...node,
					y: node.y + down,
					line: buildLineTo(middle, node.x, node.y + down),
				})),
			}));
		}),
	};
}

/** Draws from the upper end to the lower: from container to contained, from referrer to target. */
function buildLineTo(middle: { x: number; y: number }, x: number, y: number): string {
	const left = x < middle.x;
	const [fromX, fromY] = left ? [x + SIZE.width, y] : [middle.x + SIZE.width, middle.y];
	const [toX, toY] = left ? [middle.x, middle.y] : [x, y];
	const half = SIZE.height / 2;
	const bend = (toX - fromX) / 2;
	return `M${fromX} ${fromY + half}C${fromX + bend} ${fromY + half} ${toX - bend} ${toY + half} ${toX} ${toY + half}`;
}
