/** Fills a store with a believable fabric: same seed and size, same fabric. */
import type { Registry } from "../model/registry.ts";
import { createRandom } from "../random.ts";
import type { Store } from "../store/store.ts";
import { buildAccess } from "./access.ts";
import { createBuilder } from "./builder.ts";
import { buildDefaults } from "./defaults.ts";
import { buildObserved } from "./observed.ts";
import { AMOUNTS, type FabricSize } from "./sizes.ts";
import { buildSystem } from "./system.ts";
import { buildTags } from "./tags.ts";
import { buildTenants } from "./tenants.ts";
import { buildTopology } from "./topology.ts";

export interface FabricShape {
	readonly size: FabricSize;
	readonly seed: number;
	/** Minimum number of controllers in the fabric. */
	readonly members: number;
	/** 1, 2, 3 …: which of several fabrics it is. */
	readonly fabric: number;
}

export function buildFabric(store: Store, registry: Registry, { size, seed, members, fabric }: FabricShape): void {
	const builder = createBuilder(store, registry, createRandom(seed + fabric - 1));
	const amounts = { ...AMOUNTS[size], controllers: Math.max(AMOUNTS[size].controllers, members) };
	const topology = buildTopology(builder, amounts, fabric);
	const tenants = buildTenants(builder, amounts, topology, fabric);
	buildAccess(builder, tenants.uni, topology);
	buildObserved(builder, amounts, topology, tenants);
	// With random numbers of their own, so that the rest of a seed's fabric does not depend on them.
	const apart = createBuilder(store, registry, createRandom(seed ^ 0x5e57));
	buildSystem(apart, topology);
	buildDefaults(apart);
	buildTags(apart, tenants);
}
