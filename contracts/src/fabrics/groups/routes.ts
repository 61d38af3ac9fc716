/** Routes of connection groups. */
import { defineCrudRoutes } from "../../core/crud.ts";
import { connectionGroupPaths } from "./paths.ts";
import { connectionGroup, connectionGroupInput, connectionGroupPatch } from "./shapes.ts";

export const connectionGroupRoutes = defineCrudRoutes({
	paths: connectionGroupPaths,
	noun: "group",
	permission: "controllerconnection",
	audit: { category: "controller_management", action: "connection_group" },
	shapes: { item: connectionGroup, create: connectionGroupInput, update: connectionGroupPatch },
	summary: {
		list: "The caller's own and public groups by name; all of them for administrators",
		create: "Make a group of connections that the caller sees",
		update: "Change some fields; members that the caller does not see stay",
		replace: "Replace all fields, those left out by their defaults; members that the caller does not see stay",
		remove: "Delete a group; its connections stay",
	},
});
