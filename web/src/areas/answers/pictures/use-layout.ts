/** The layout of a picture: a topology at once, a tenant by a worker. */
import type { PictureKind, TopologyPicture } from "@weft/contracts";
import { useEffect, useState } from "react";
import { UnreachableError } from "../../../platform/failures.ts";
import { type Layout, type LayoutEdge, type LayoutNode, layOutTopology } from "./layout.ts";

type Parts = Pick<TopologyPicture, "nodes" | "edges">;

interface Laid {
	readonly of: Parts;
	readonly layout: Layout;
}

interface LayoutState {
	/** The layout of the last picture that has one; null before the first. */
	readonly laid: Laid | null;
	readonly error: Error | null;
}

export function useLayout(kind: PictureKind, picture: Parts): LayoutState {
	const [state, setState] = useState<LayoutState>({ laid: null, error: null });
	useEffect(() => {
		if (kind === "topology") {
			setState({ laid: { of: picture, layout: layOutTopology(picture.nodes, picture.edges) }, error: null });
			return;
		}
		const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
		worker.onmessage = ({ data }: MessageEvent<Layout>) =>
			setState({ laid: { of: picture, layout: data }, error: null });
		// The script of the worker could not be fetched: the event has no message then.
		worker.onerror = (event) =>
			setState({
				laid: null,
				error: event.message ? new Error(event.message) : new UnreachableError("the worker's script"),
			});
		const nodes: LayoutNode[] = picture.nodes.map(({ dn, kind: of }) => ({ dn, kind: of }));
		const edges: LayoutEdge[] = picture.edges.map(({ from, to, kind: of }) => ({ from, to, kind: of }));
		worker.postMessage({ nodes, edges });
		return () => worker.terminate();
	}, [kind, picture]);
	return state;
}
