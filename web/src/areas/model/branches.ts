/** Visible rows of the class tree. A class can occur several times, so a row's key is its path. */
import type { TreeNode } from "@weft/contracts";

interface TreeRow {
	/** Names from the top, with slashes between them. */
	readonly path: string;
	readonly node: TreeNode;
	/** 1 at the top. */
	readonly level: number;
	readonly position: number;
	readonly siblings: number;
	readonly open: boolean;
}

interface Branches {
	/** Undefined: not there yet. The empty name is the top. */
	listChildren(name: string): readonly TreeNode[] | undefined;
	isOpen(path: string): boolean;
}

export function getRows({ listChildren, isOpen }: Branches): TreeRow[] {
	const rows: TreeRow[] = [];
	const add = (name: string, above: string, level: number) => {
		const nodes = listChildren(name) ?? [];
		nodes.forEach((node, index) => {
			const path = above === "" ? node.name : `${above}/${node.name}`;
			const open = node.has_children && isOpen(path);
			rows.push({ path, node, level, position: index + 1, siblings: nodes.length, open });
			if (open) add(node.name, path, level + 1);
		});
	};
	add("", "", 1);
	return rows;
}

export const getParent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

type TreeStep = { readonly to: string } | { readonly turn: string };

/** The effect of a key on a tree row: move, expand or collapse; null for none. */
export function getStep(key: string, rows: readonly TreeRow[], current: string): TreeStep | null {
	const at = Math.max(
		0,
		rows.findIndex(({ path }) => path === current),
	);
	const row = rows[at];
	if (row === undefined) return null;
	const to = (index: number): TreeStep | null => {
		const target = rows[Math.min(rows.length - 1, Math.max(0, index))];
		return target === undefined || target.path === row.path ? null : { to: target.path };
	};
	switch (key) {
		case "ArrowDown":
			return to(at + 1);
		case "ArrowUp":
			return to(at - 1);
		case "Home":
			return to(0);
		case "End":
			return to(rows.length - 1);
		case "ArrowRight":
			if (!row.node.has_children) return null;
			return row.open ? to(at + 1) : { turn: row.path };
		case "ArrowLeft":
			if (row.open) return { turn: row.path };
			return row.level > 1 ? { to: getParent(row.path) } : null;
		default:
			return null;
	}
}
