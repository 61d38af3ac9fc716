/** A drift rule for one attribute, made where its change is seen. */
import { savedQueryRoutes } from "@weft/contracts/browser";
import { BellOff } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { useMay } from "../../platform/profile.ts";
import { IconButton } from "../../ui/button.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";

/**
 * Adds an attribute to those that the drift rules of queries leave out.
 * @param attribute as `Class.name`
 */
export async function addDriftRule(queryIds: readonly string[], attribute: string): Promise<void> {
	for (const id of queryIds) {
		const { drift_rules: rules } = await callRoute(savedQueryRoutes.detail, { params: { id } });
		if (rules.ignore.includes(attribute)) continue;
		const drift_rules = { ...rules, ignore: [...rules.ignore, attribute] };
		await callRoute(savedQueryRoutes.update, { params: { id }, body: { drift_rules } });
	}
}

interface NeverAlertProps {
	readonly query: string;
	/** As `Class.name`. */
	readonly attribute: string;
}

/** Nothing for those who may not change queries. */
export function NeverAlert({ query, attribute }: NeverAlertProps) {
	const may = useMay();
	const add = useAction(() => addDriftRule([query], attribute), {
		stale: ["saved_queries"],
		onSuccess: () => showToast(`Changes of ${attribute} are no drift of this query from the next snapshot on`),
		onError: (error) => showProblem(error),
	});
	if (!may("change_savedquery")) return null;
	return (
		<IconButton
			variant="ghost"
			icon={BellOff}
			label={`Never alert on ${attribute}`}
			busy={add.isPending}
			className="size-5! opacity-0 focus-visible:opacity-100 group-hover:opacity-100 max-sm:opacity-100"
			onClick={() => add.mutate(undefined)}
		/>
	);
}
