/** The API's paths under its root, each with what it answers. */
import type { Json } from "./present.ts";
import type { Handler, RouteParts } from "./route-access.ts";
import { createJobRoutes } from "./routes-jobs.ts";
import { createResourceRoutes } from "./routes-resources.ts";
import { createTemplateRoutes } from "./routes-templates.ts";
import { createWorkflowRoutes } from "./routes-workflows.ts";
import type { World } from "./world.ts";

/** All routes except those of notifications. */
export function createRoutes(lab: RouteParts): Map<string, Record<string, Handler>> {
	return new Map(
		Object.entries({
			...createResourceRoutes(lab),
			...createTemplateRoutes(lab),
			...createJobRoutes(lab),
			...createWorkflowRoutes(lab),
		}),
	);
}

export function getPing(world: World): Json {
	const now = new Date(world.time.now()).toISOString();
	const node = "awx-rig";
	const groups = ["controlplane", "default"].map((name) => ({ name, capacity: 220, instances: [node] }));
	const capacity = world.behaviour.dispatcher ? 220 : 0;
	return {
		ha: false,
		version: world.version,
		active_node: node,
		install_uuid: world.installUuid,
		instances: [
			{
				node,
				node_type: "hybrid",
				uuid: "00000000-0000-0000-0000-000000000000",
				heartbeat: now,
				capacity,
				version: world.version,
			},
		],
		instance_groups: groups,
	};
}
