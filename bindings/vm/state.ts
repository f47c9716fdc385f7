// What a C function needs to find its way home: the Vm that a thread belongs to.
import type { lua_State } from 'fengari';
import type { Vm } from './vm.js';

/** The Vm that owns thread `L`. */
export const vmOf = (L: lua_State): Vm => L.l_G.moonscape as Vm;
