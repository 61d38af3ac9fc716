/** Lays out a tenant beside the page: hundreds of nodes take the library a second. */
import { type LayoutEdge, type LayoutNode, layOutTenant } from "./layout.ts";

self.onmessage = ({ data }: MessageEvent<{ nodes: LayoutNode[]; edges: LayoutEdge[] }>) => {
	postMessage(layOutTenant(data.nodes, data.edges));
};
