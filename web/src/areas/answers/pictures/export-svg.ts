/** Writes a drawn picture as an SVG file that needs neither styles nor fonts of this page. */

/** Writes an element of the page as XML, with the values of its CSS variables. */
export function writeSvg(element: SVGSVGElement, title: string, read: (variable: string) => string): string {
	const copy = element.cloneNode(true) as SVGSVGElement;
	const { width, height } = element.viewBox.baseVal;
	copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
	copy.setAttribute("width", String(width));
	copy.setAttribute("height", String(height));
	for (const name of ["class", "style", "role", "aria-label"]) copy.removeAttribute(name);
	for (const link of copy.querySelectorAll("a")) {
		const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
		group.append(...link.childNodes);
		link.replaceWith(group);
	}
	for (const part of copy.querySelectorAll("[class]")) part.removeAttribute("class");
	for (const part of copy.querySelectorAll("[data-screen]")) part.remove();
	const named = document.createElementNS("http://www.w3.org/2000/svg", "title");
	named.textContent = title;
	copy.prepend(named);
	const text = new XMLSerializer().serializeToString(copy);
	return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replaceAll(/var\((--[\w-]+)\)/g, (_, name) => read(name))}\n`;
}
