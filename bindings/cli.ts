// The command `moonscape`.
import { createNodeHost } from './node.js';
void createNodeHost;
