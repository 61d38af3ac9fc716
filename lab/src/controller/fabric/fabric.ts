/** Fills a store with a believable fabric: same seed and size, same fabric. */
import type { Registry } from "../model/registry.ts";
import { createRandom } from "../random.ts";
import type { Store } from "../store/store.ts";
import { buildAccess } from "./access.ts";
import { createBuilder } from "./builder.ts";
import { buildObserved } from "./observed.ts";
import { AMOUNTS, type FabricSize } from "./sizes.ts";
import { buildTenants } from "./tenants.ts";
import { buildTopology } from "./topology.ts";

export function buildFabric(store: Store, registry: Registry, size: FabricSize, seed: number): void {
	const builder = createBuilder(store, registry, createRandom(seed));
	const amounts = AMOUNTS[size];
	const topology = buildTopology(builder, amounts);
	const tenants = buildTenants(builder, amounts, topology);
	buildAccess(builder, tenants.uni, topology);
	buildObserved(builder, amounts, topology, tenants);
}
