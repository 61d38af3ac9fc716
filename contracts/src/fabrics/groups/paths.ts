/** Addresses of connection groups: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

export const connectionGroupPaths = defineCrudPaths("connection_groups", "/api/controller/connection-groups/");
