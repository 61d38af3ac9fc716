/** Tags as operators and orchestrators put them on tenants and their networks. */
import { type Builder, FABRIC_EPOCH, formatIsoTime } from "./builder.ts";
import type { Tenants } from "./tenants.ts";

const OWNERS = ["network", "platform", "security"];
const STAGES = ["production", "staging"];
/** Bridge domains that carry an annotation; of more, none does. */
const ANNOTATED = 20;

export function buildTags({ add, template }: Builder, { tenants, bds }: Pick<Tenants, "tenants" | "bds">): void {
	const modTs = formatIsoTime(FABRIC_EPOCH - 86_400_000);
	const tag = template("tagTag", ["key", "value"], { modTs });
	const annotation = template("tagAnnotation", ["key", "value"], { modTs });
	for (const [index, tenant] of tenants.entries()) {
		add(tenant, tag, "tagKey-owner", ["owner", OWNERS[index % OWNERS.length] ?? ""]);
		add(tenant, annotation, "annotationKey-[stage]", ["stage", STAGES[index % STAGES.length] ?? ""]);
	}
	for (const [index, bd] of bds.slice(0, ANNOTATED).entries()) {
		add(bd, annotation, "annotationKey-[ticket]", ["ticket", `CHG-${1_000 + index}`]);
	}
}
