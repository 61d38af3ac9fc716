/** Reads one bounded page of objects from a controller. */
import type { Context } from "../../../context.ts";
import type { ControllerObject, ControllerTarget } from "../../../integrations/apic/port.ts";

export interface LiveControllerObject {
	readonly dn: string;
	readonly className: string;
	readonly attributes: Readonly<Record<string, string>>;
}

/** @throws ControllerError */
export async function readControllerObjects(
	ctx: Context,
	target: ControllerTarget,
	path: string,
	signal: AbortSignal,
): Promise<{ objects: LiveControllerObject[]; total: number }> {
	const answer = await ctx.controllers.request(target, { method: "GET", path, signal });
	const { imdata = [], totalCount } = (answer.data ?? {}) as {
		imdata?: readonly ControllerObject[];
		totalCount?: string;
	};
	const objects = imdata.flatMap((row) =>
		Object.entries(row).flatMap(([className, { attributes }]) => {
			const { dn } = attributes;
			return dn === undefined ? [] : [{ dn, className, attributes }];
		}),
	);
	const total = Number(totalCount ?? objects.length);
	// A busy controller counts objects and lists none.
	if (objects.length === 0 && total > 0)
		throw new Error("The controller is busy: it did not send its objects. Try again.");
	return { objects, total };
}
