/** Routes of the pictures of a network. */
import { defineRoute } from "../../core/route.ts";
import { picturePaths } from "./paths.ts";
import { tenantPicture, tenantPictureQuery, topologyPicture, topologyQuery } from "./shapes.ts";

const common = { throttle: "user", permission: "view_snapshot", audit: { none: "reads" } } as const;

export const pictureRoutes = {
	topology: defineRoute({
		...picturePaths.topology,
		...common,
		summary: "Nodes of a fabric and the links between them, from snapshots of any moment, with changes marked",
		query: topologyQuery,
		answers: { 200: topologyPicture },
	}),
	tenant: defineRoute({
		...picturePaths.tenant,
		...common,
		summary: "VRFs, bridge domains, EPGs and contracts of a tenant, from snapshots of any moment, with changes marked",
		query: tenantPictureQuery,
		answers: { 200: tenantPicture },
	}),
} as const;
