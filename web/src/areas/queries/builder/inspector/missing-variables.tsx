/** Filters that use a variable which does not exist, each with the button that creates it. */
import { Button } from "../../../../ui/button.tsx";
import { Banner } from "../../../../ui/page.tsx";
import { createVariable, findMissingVariables } from "../model/variables.ts";
import { useBuilderStore, useDoc } from "../store.ts";

export function MissingVariables() {
	const store = useBuilderStore();
	const doc = useDoc();
	return findMissingVariables(doc).map(({ nodeId, property, variable }) => (
		<Banner
			key={`${nodeId} ${variable}`}
			tone="bad"
			title={`Filter "${property}" uses \${${variable}}, which does not exist.`}
			action={
				<Button
					onClick={() => {
						store.getState().edit((now) => createVariable(now, variable));
						store.getState().say(`Created the variable ${variable}`);
					}}
				>
					Create it
				</Button>
			}
		/>
	));
}
