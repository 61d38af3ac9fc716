/** Change plans that ship; one click makes one of them a plan with its queries and checks. */
import { changePlanRoutes } from "@weft/contracts/browser";
import { Download } from "lucide-react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded, Panel } from "../../ui/page.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";

export function ShippedPlans() {
	const answer = useAnswer(changePlanRoutes.templates, undefined, { staleTime: Number.POSITIVE_INFINITY });
	const install = useAction((key: string) => callRoute(changePlanRoutes.install, { params: { key } }), {
		stale: ["change_plans", "saved_queries", "checks"],
		onSuccess: ({ name }) => showToast(`${name} is one of your plans.`),
		onError: (error) => showProblem(error, "The plan could not be added"),
	});
	return (
		<Panel title="Plans that ship with Weft">
			<Loaded answer={answer} lines={4}>
				{({ results }) => (
					<ul className="m-0 list-none divide-y divide-line p-0">
						{results.map(({ key, name, description, items }) => (
							<li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
								<span className="flex min-w-0 flex-1 basis-64 flex-col">
									<span className="font-medium">{name}</span>
									<span className="text-muted text-xs">{description}</span>
									<span className="text-muted text-xs">{items.map((item) => item.name).join(", ")}</span>
								</span>
								<Button
									icon={Download}
									busy={install.isPending && install.variables === key}
									onClick={() => install.mutate(key)}
								>
									Add to my plans
								</Button>
							</li>
						))}
					</ul>
				)}
			</Loaded>
		</Panel>
	);
}
