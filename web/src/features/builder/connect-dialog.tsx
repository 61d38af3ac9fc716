/** Joins a node to another one by name: what a mouse does by drawing. */
import { useState } from "react";
import { joinNodes } from "./join.ts";
import { nodeOf } from "./model/canvas.ts";
import { KIND_NAMES, titleOf } from "./model/describe.ts";
import { problemOfEdge } from "./model/edit.ts";
import { PickDialog } from "./pick-dialog.tsx";
import { useBuilderStore, useDoc } from "./store.ts";

export function ConnectDialog({ from, onClose }: { from: string; onClose(): void }) {
	const store = useBuilderStore();
	const doc = useDoc();
	const [text, setText] = useState("");
	const source = nodeOf(doc, from);
	if (source === undefined) return null;
	return (
		<PickDialog
			title={`Connect ${titleOf(source)} to`}
			placeholder="Name of a node"
			text={text}
			onText={setText}
			choices={doc.nodes
				.filter(({ id }) => id !== from)
				.filter((node) =>
					`${titleOf(node)} ${node.id} ${KIND_NAMES[node.type]}`.toLowerCase().includes(text.trim().toLowerCase()),
				)
				.map((node) => ({
					id: node.id,
					label: <span className="mono">{titleOf(node)}</span>,
					aside: KIND_NAMES[node.type],
					problem: problemOfEdge(doc, from, node.id),
				}))
				.sort((a, b) => Number(a.problem !== null) - Number(b.problem !== null))}
			onPick={(target) => joinNodes(store, from, target)}
			onClose={onClose}
		/>
	);
}
