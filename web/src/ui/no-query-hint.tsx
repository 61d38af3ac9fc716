/** The next step of a form that needs a saved query while there is none. */
import { Link } from "@tanstack/react-router";

export function NoQueryHint() {
	return (
		<>
			No query is saved yet.{" "}
			<Link to="/builder" className="font-medium text-accent-text underline">
				Draw a query
			</Link>{" "}
			or take one of the{" "}
			<Link to="/gallery" className="font-medium text-accent-text underline">
				Gallery
			</Link>
			.
		</>
	);
}
